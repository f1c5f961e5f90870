// The engine's own thread: the same wasm as the page, which finds itself without a window and answers queries.
import init from "./rocketscope-web.js";

self.addEventListener("unhandledrejection", (event) => self.postMessage({ fault: String(event.reason) }));
init({ module_or_path: new URL("./rocketscope-web_bg.wasm", import.meta.url) }).catch((cause) => {
  self.postMessage({ fault: String(cause) });
});
