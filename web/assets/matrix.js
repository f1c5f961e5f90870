// The crash matrix's own thread: the same wasm as the page. A classic script, since gloo-worker starts no modules.
self.role = "matrix";
import("./rocketscope-web.js")
  .then((module) => module.default({ module_or_path: new URL("./rocketscope-web_bg.wasm", self.location.href) }))
  .catch((cause) => self.postMessage({ fault: String(cause) }));
