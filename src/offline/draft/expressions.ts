/** Pieces of expressions about calls. Names were checked when the schemas were read, and values are written as literals. */
import type { Scalar } from './argument-places.ts';
import type { Place } from './rule.ts';

const WENT_THROUGH = 'c.ok && !c.failed';

export function calls(tool: string): string {
  return `tools(${text(tool)})`;
}

/** Calls of the tools that went through. */
export function succeeded(tools: readonly string[]): string {
  const [only = ''] = tools;
  if (tools.length === 1) return `${calls(only)}.filter(c, ${WENT_THROUGH})`;
  return `tool_calls.filter(c, ${isSuccessOf(tools)})`;
}

export function isSuccessOf(tools: readonly string[]): string {
  return `c.name in ${list(tools)} && ${WENT_THROUGH}`;
}

export function isAny(someCalls: string): string {
  return `size(${someCalls}) > 0`;
}

/** Holds of every value at the place; absent ones are no matter. */
export function overPlace(someCalls: string, { path, isNullable }: Place, holds: (value: string) => string): string {
  const inside = (base: string, index: number): string => {
    const part = path[index];
    if (part === undefined) return isNullable ? `(${base} == null || ${holds(base)})` : holds(base);
    const member = `${base}.${part.name}`;
    const item = `p${index}`;
    const rest = part.isList ? `${member}.all(${item}, ${inside(item, index + 1)})` : inside(member, index + 1);
    return `(!has(${member}) || ${rest})`;
  };
  return `${someCalls}.all(c, ${inside('c.args', 0)})`;
}

export function list(values: readonly Scalar[]): string {
  return `[${values.map((value) => (typeof value === 'string' ? text(value) : number(value))).join(', ')}]`;
}

/** Escapes of JSON are escapes of an expression. */
export function text(value: string): string {
  return /^[\w .:/@+-]*$/.test(value) ? `'${value}'` : JSON.stringify(value);
}

/** An expression knows no exponent without a dot, and no whole number beyond 64 bits. */
export function number(value: number | boolean): string {
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return value.toExponential().replace(/^(-?\d+)e/, '$1.0e');
}
