//! The grammar (`SelectorParser`).

use std::collections::BTreeSet;

use super::{
    build::Tree,
    error::{ParseError, ParseErrorCause},
    lexer::{Lexer, Token, TokenKind},
    node::{Comparison, Constant, Logic, Node, NodeId},
};

/// How deep parentheses, signs and `NOT` may be nested in one another.
pub const MAX_DEPTH: usize = 128;

/// What an operand may begin with, as 4.9.8 lists it: `+`, which it looks for by itself, is not named.
const OPERAND: [TokenKind; 10] = [
    TokenKind::Not,
    TokenKind::True,
    TokenKind::False,
    TokenKind::Null,
    TokenKind::Decimal,
    TokenKind::FloatingPoint,
    TokenKind::Text,
    TokenKind::Identifier,
    TokenKind::Open,
    TokenKind::Minus,
];

type Parsed = Result<NodeId, ParseError>;

/// Reads an expression; the root is the last of the nodes.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, ParseError> {
    let mut parser = Parser::new(text);
    let begin = parser.peek()?;
    let root = parser.or()?;
    let cast = parser.tree.as_boolean(root);
    placed(begin, cast)?;
    Ok(parser.tree.nodes)
}

/// What was built because of a token, with its place if it cannot be.
fn placed(token: Token, built: Result<NodeId, ParseErrorCause>) -> Parsed {
    built.map_err(|cause| ParseError { position: token.position, cause })
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The tokens that have been looked at.
    tokens: Vec<Token>,
    /// How many of them have been taken.
    taken: usize,
    /// What could have stood in place of the next token.
    expected: BTreeSet<TokenKind>,
    tree: Tree,
    depth: usize,
    /// Only the grammar is looked at, nothing is built.
    looking_ahead: bool,
    /// So many tokens have been found to be in order by looking ahead.
    in_order: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            tokens: Vec::new(),
            taken: 0,
            expected: BTreeSet::new(),
            tree: Tree::default(),
            depth: 0,
            looking_ahead: false,
            in_order: 0,
        }
    }

    /// The token after the next `ahead` ones. Tokens are read only when they are asked for: what nobody asks for is not
    /// at fault.
    fn peek_at(&mut self, ahead: usize) -> Result<Token, ParseError> {
        loop {
            if let Some(token) = self.tokens.get(self.taken + ahead) {
                return Ok(*token);
            }
            let token = self.lexer.next()?;
            self.tokens.push(token);
        }
    }

    fn peek(&mut self) -> Result<Token, ParseError> {
        self.peek_at(0)
    }

    /// The next token if it is one of these.
    fn next_of(&mut self, kinds: &[TokenKind]) -> Result<Option<Token>, ParseError> {
        let token = self.peek()?;
        if kinds.contains(&token.kind) {
            return Ok(Some(token));
        }
        self.expected.extend(kinds);
        Ok(None)
    }

    /// The next token is taken: it has to be this.
    fn take(&mut self, kind: TokenKind) -> Result<Token, ParseError> {
        let token = self.peek()?;
        if token.kind != kind {
            return Err(self.unexpected(token, &[kind]));
        }
        self.taken += 1;
        self.expected.clear();
        Ok(token)
    }

    fn unexpected(&mut self, token: Token, kinds: &[TokenKind]) -> ParseError {
        self.expected.extend(kinds);
        let expected = self.expected.iter().copied().collect();
        let cause = ParseErrorCause::Unexpected { found: token.kind, image: self.image(token).to_owned(), expected };
        ParseError { position: token.position, cause }
    }

    fn image(&self, token: Token) -> &'a str {
        self.text.get(token.position.offset..token.end).unwrap_or_default()
    }

    /// Builds something because of a token, unless this is only looking ahead.
    fn build(&mut self, token: Token, with: impl FnOnce(&mut Tree) -> Result<NodeId, ParseErrorCause>) -> Parsed {
        if self.looking_ahead {
            return Ok(0);
        }
        let built = with(&mut self.tree);
        placed(token, built)
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while let Some(token) = self.next_of(&[TokenKind::Or])? {
            self.take(TokenKind::Or)?;
            let right = self.and()?;
            left = self.build(token, |tree| tree.logic(Logic::Or, left, right))?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.equality()?;
        while let Some(token) = self.next_of(&[TokenKind::And])? {
            self.take(TokenKind::And)?;
            let right = self.equality()?;
            left = self.build(token, |tree| tree.logic(Logic::And, left, right))?;
        }
        Ok(left)
    }

    fn equality(&mut self) -> Parsed {
        let mut left = self.comparison()?;
        while let Some(token) = self.next_of(&[TokenKind::Is, TokenKind::Equal, TokenKind::NotEqual])? {
            self.take(token.kind)?;
            if token.kind == TokenKind::Is {
                let not = self.peek()?.kind != TokenKind::Null;
                if not {
                    self.take(TokenKind::Not)?;
                }
                self.take(TokenKind::Null)?;
                left = self.build(token, |tree| {
                    let is_null = tree.is_null(left);
                    if not { tree.not(is_null) } else { Ok(is_null) }
                })?;
                continue;
            }
            let right = self.comparison()?;
            left = self.build(token, |tree| {
                let equal = tree.equal(left, right)?;
                if token.kind == TokenKind::NotEqual { tree.not(equal) } else { Ok(equal) }
            })?;
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed {
        const ORDERS: [TokenKind; 4] =
            [TokenKind::Greater, TokenKind::GreaterOrEqual, TokenKind::Less, TokenKind::LessOrEqual];
        const OTHERS: [TokenKind; 2] = [TokenKind::Between, TokenKind::In];
        let mut left = self.unary()?;
        loop {
            let first = self.peek()?;
            let comparison = match first.kind {
                TokenKind::Greater => Comparison::Greater,
                TokenKind::GreaterOrEqual => Comparison::GreaterOrEqual,
                TokenKind::Less => Comparison::Less,
                TokenKind::LessOrEqual => Comparison::LessOrEqual,
                TokenKind::Between | TokenKind::In => {
                    left = self.range(left, first.kind, false)?;
                    continue;
                }
                TokenKind::Not => {
                    let second = self.peek_at(1)?.kind;
                    if !OTHERS.contains(&second) {
                        self.expected.extend(OTHERS);
                        return Err(self.unexpected(first, &ORDERS));
                    }
                    self.take(TokenKind::Not)?;
                    left = self.range(left, second, true)?;
                    continue;
                }
                _ => {
                    self.expected.insert(TokenKind::Not);
                    self.expected.extend(OTHERS);
                    self.expected.extend(ORDERS);
                    return Ok(left);
                }
            };
            self.take(first.kind)?;
            let right = self.unary()?;
            left = self.build(first, |tree| tree.ordered(comparison, left, right))?;
        }
    }

    /// `BETWEEN` or `IN` and what follows.
    fn range(&mut self, left: NodeId, kind: TokenKind, not: bool) -> Parsed {
        let token = self.take(kind)?;
        if kind == TokenKind::Between {
            let low = self.unary()?;
            self.take(TokenKind::And)?;
            let high = self.unary()?;
            return self.build(token, |tree| {
                if not { tree.not_between(left, low, high) } else { tree.between(left, low, high) }
            });
        }
        self.take(TokenKind::Open)?;
        let mut elements = Vec::new();
        loop {
            let element = self.take(TokenKind::Text)?;
            elements.push(self.string(element));
            if self.next_of(&[TokenKind::Comma])?.is_none() {
                break;
            }
            self.take(TokenKind::Comma)?;
        }
        self.take(TokenKind::Close)?;
        self.build(token, |tree| tree.among(left, elements, not))
    }

    fn unary(&mut self) -> Parsed {
        let token = self.peek()?;
        if self.depth == MAX_DEPTH {
            return Err(ParseError { position: token.position, cause: ParseErrorCause::TooDeep });
        }
        self.depth += 1;
        let operand = self.operand(token);
        self.depth -= 1;
        operand
    }

    fn operand(&mut self, token: Token) -> Parsed {
        match token.kind {
            TokenKind::Plus => {
                self.look_ahead(token)?;
                self.take(TokenKind::Plus)?;
                return self.unary();
            }
            TokenKind::Open => {
                self.take(TokenKind::Open)?;
                let inner = self.or()?;
                self.take(TokenKind::Close)?;
                return Ok(inner);
            }
            kind if !OPERAND.contains(&kind) => return Err(self.unexpected(token, &OPERAND)),
            kind => self.take(kind)?,
        };
        if matches!(token.kind, TokenKind::Minus | TokenKind::Not) {
            let inner = self.unary()?;
            return self.build(token, |tree| match token.kind {
                TokenKind::Not => tree.not(inner),
                _ => Ok(tree.push(Node::Negate(inner))),
            });
        }
        let image = self.image(token);
        let text = if token.kind == TokenKind::Text { self.string(token) } else { String::new() };
        self.build(token, |tree| match token.kind {
            TokenKind::Decimal => tree.decimal(image),
            TokenKind::FloatingPoint => tree.floating_point(image),
            TokenKind::Text => Ok(tree.constant(Constant::Text(text))),
            TokenKind::True | TokenKind::False => Ok(tree.constant(Constant::Boolean(token.kind == TokenKind::True))),
            TokenKind::Null => Ok(tree.constant(Constant::Null)),
            _ => Ok(tree.push(Node::Property(image.to_owned()))),
        })
    }

    /// Before it takes a `+`, 4.9.8 makes sure that an operand follows; if none does, the `+` is at fault.
    fn look_ahead(&mut self, plus: Token) -> Result<(), ParseError> {
        if self.looking_ahead || self.taken < self.in_order {
            return Ok(());
        }
        let begin = self.taken;
        self.looking_ahead = true;
        self.taken += 1;
        let result = self.unary();
        self.looking_ahead = false;
        self.in_order = self.taken;
        self.taken = begin;
        self.expected.clear();
        match result {
            Err(ParseError { cause: ParseErrorCause::Unexpected { .. }, .. }) => Err(self.unexpected(plus, &OPERAND)),
            other => other.map(|_| ()),
        }
    }

    /// The text of a string: without its quotes, doubled ones single.
    fn string(&self, token: Token) -> String {
        let image = self.image(token);
        image.get(1..image.len().saturating_sub(1)).unwrap_or_default().replace("''", "'")
    }
}
