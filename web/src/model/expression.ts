// SPDX-License-Identifier: BSD-3-Clause
/** Expressions over metrics, as in `fermata report --define`:
 *
 *   sum      = product { ("+" | "-") product }
 *   product  = unary { ("*" | "/") unary }
 *   unary    = "-" unary | primary
 *   primary  = number | metric | "(" sum ")" | function "(" sum { "," sum } ")"
 *   function = "min" | "max" (two arguments) | "abs" | "sqrt" (one argument)
 *
 * A metric is its id (letters, digits, "_", ".", and ":" as in counter:NAME). Times are seconds. Division by zero,
 * and the square root of a negative number, give 0. */
import type { Unit } from "../data/layout";

export type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "metric"; readonly id: string; readonly at: number }
  | { readonly kind: "apply"; readonly name: Operation; readonly parts: readonly Expression[] };

type Operation = "+" | "-" | "*" | "/" | "negative" | "min" | "max" | "abs" | "sqrt";

const FUNCTIONS: ReadonlyMap<string, number> = new Map([["min", 2], ["max", 2], ["abs", 1], ["sqrt", 1]]);
const LONGEST = 1000;
const DEEPEST = 100;

/** A position in the text (from 0), and what is wrong there. */
export class ExpressionError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

interface Token {
  readonly text: string;
  readonly at: number;
  readonly kind: "number" | "name" | "sign" | "end";
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  const pattern = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_][A-Za-z0-9_.:]*)|([-+*/(),]))/y;
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) {
      const at = from + /^\s*/.exec(text.slice(from))![0].length;
      if (at === text.length) break;
      throw new ExpressionError(`unexpected character "${String.fromCodePoint(text.codePointAt(at)!)}"`, at);
    }
    const [whole, number, name, sign] = match;
    const content = (number ?? name ?? sign)!;
    const at = from + whole.length - content.length;
    found.push({ text: content, at, kind: number !== undefined ? "number" : name !== undefined ? "name" : "sign" });
  }
  found.push({ text: "", at: text.length, kind: "end" });
  return found;
}

class Parser {
  private next = 0;
  private depth = 0;

  constructor(
    private readonly all: readonly Token[],
    private readonly idOf: (text: string) => string | null,
  ) {}

  parse(): Expression {
    const expression = this.sum();
    const rest = this.all[this.next]!;
    if (rest.kind !== "end") throw new ExpressionError(`expected an operator instead of "${rest.text}"`, rest.at);
    return expression;
  }

  private take(text: string): boolean {
    const token = this.all[this.next]!;
    if (token.kind !== "sign" || token.text !== text) return false;
    this.next++;
    return true;
  }

  private expect(text: string): void {
    if (this.take(text)) return;
    const token = this.all[this.next]!;
    throw new ExpressionError(`expected "${text}"${token.kind === "end" ? " at the end" : ` instead of "${token.text}"`}`, token.at);
  }

  private binary(signs: readonly ("+" | "-" | "*" | "/")[], part: () => Expression): Expression {
    let left = part();
    for (;;) {
      const sign = signs.find((each) => this.take(each));
      if (sign === undefined) return left;
      left = { kind: "apply", name: sign, parts: [left, part()] };
    }
  }

  private readonly sum = (): Expression => this.binary(["+", "-"], this.product);
  private readonly product = (): Expression => this.binary(["*", "/"], this.unary);

  private readonly unary = (): Expression => {
    const { at } = this.all[this.next]!;
    if (++this.depth > DEEPEST) throw new ExpressionError("too many levels of parentheses", at);
    const found: Expression = this.take("-")
      ? { kind: "apply", name: "negative", parts: [this.unary()] }
      : this.primary();
    this.depth--;
    return found;
  };

  private primary(): Expression {
    if (this.take("(")) {
      const inner = this.sum();
      this.expect(")");
      return inner;
    }
    const token = this.all[this.next]!;
    if (token.kind === "end") throw new ExpressionError("the expression is incomplete", token.at);
    if (token.kind === "sign") throw new ExpressionError(`expected a number or a metric instead of "${token.text}"`, token.at);
    this.next++;
    if (token.kind === "number") return { kind: "number", value: Number(token.text) };
    if (this.all[this.next]!.text === "(") return this.call(token);
    const id = this.idOf(token.text);
    if (id === null) throw new ExpressionError(`no metric has the id "${token.text}"`, token.at);
    return { kind: "metric", id, at: token.at };
  }

  private call({ text, at }: Token): Expression {
    const count = FUNCTIONS.get(text);
    if (count === undefined) throw new ExpressionError(`no function is called "${text}": min, max, abs, sqrt`, at);
    this.expect("(");
    const parts = [this.sum()];
    while (this.take(",")) parts.push(this.sum());
    this.expect(")");
    if (parts.length !== count) throw new ExpressionError(`${text} takes ${count} argument${count === 1 ? "" : "s"}`, at);
    return { kind: "apply", name: text as Operation, parts };
  }
}

/** Parses an expression. Throws an ExpressionError.
 * @param idOf the id of the metric that is named so; null: there is none */
export function parseExpression(text: string, idOf: (text: string) => string | null): Expression {
  if (text.length > LONGEST) throw new ExpressionError(`longer than ${LONGEST} characters`, LONGEST);
  return new Parser(tokens(text), idOf).parse();
}

/** @returns the metrics in an expression, each once. */
export function metricsIn(expression: Expression): string[] {
  const found = new Set<string>();
  const add = (part: Expression): void => {
    if (part.kind === "metric") found.add(part.id);
    else if (part.kind === "apply") part.parts.forEach(add);
  };
  add(expression);
  return [...found];
}

function apply(name: Operation, a: number, b: number): number {
  switch (name) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0 ? 0 : a / b;
    case "negative":
      return -a;
    case "min":
      return Math.min(a, b);
    case "max":
      return Math.max(a, b);
    case "abs":
      return Math.abs(a);
    case "sqrt":
      return a < 0 ? 0 : Math.sqrt(a);
  }
}

/** Computes an expression for each element of the metrics' values, which have `length` elements. */
export function evaluate(expression: Expression, values: ReadonlyMap<string, Float64Array>, length: number): Float64Array {
  if (expression.kind === "number") return new Float64Array(length).fill(expression.value);
  if (expression.kind === "metric") return values.get(expression.id)!;
  const [a, b = a] = expression.parts.map((part) => evaluate(part, values, length));
  return Float64Array.from({ length }, (_, i) => apply(expression.name, a![i]!, b![i]!));
}

/** The unit of an expression's values; "": none, or one without a name, such as seconds squared. */
export function unitOf(expression: Expression, unit: (id: string) => Unit): Unit {
  if (expression.kind === "number") return "";
  if (expression.kind === "metric") return unit(expression.id);
  const units = expression.parts.map((part) => unitOf(part, unit));
  const [a, b] = units as [Unit, Unit];
  switch (expression.name) {
    case "negative":
    case "abs":
      return a;
    case "sqrt":
      return "";
    case "*":
      return isNumber(expression.parts[0]!) ? b : isNumber(expression.parts[1]!) ? a : "";
    case "/":
      return isNumber(expression.parts[1]!) ? a : "";
    default:
      return a === b ? a : "";
  }
}

function isNumber(expression: Expression): boolean {
  return expression.kind === "number" || (expression.kind === "apply" && expression.parts.every(isNumber));
}
