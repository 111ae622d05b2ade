/** The resource and the scope of each group, looked at when first asked for and kept as long as the index. */
import { fieldsOf } from './common-reader.ts';
import { LazyAttributes } from './lazy-attributes.ts';
import type { RecordIndex } from './record-index.ts';
import type { Attributes, Scope } from './views.ts';
import { WireReader } from './wire.ts';

type Places = Pick<RecordIndex, 'bytes' | 'resourceStart' | 'resourceEnd' | 'scopeStart' | 'scopeEnd'>;

export class GroupViews {
  readonly #rows: Places;
  readonly #resources: (Attributes | undefined)[] = [];
  readonly #scopes: (Scope | undefined)[] = [];

  constructor(rows: Places) {
    this.#rows = rows;
  }

  resource(group: number): Attributes {
    const known = this.#resources[group];
    if (known !== undefined) return known;
    const resource = this.#readResource(group);
    this.#resources[group] = resource;
    return resource;
  }

  scope(group: number): Scope {
    const known = this.#scopes[group];
    if (known !== undefined) return known;
    const scope = this.#readScope(group);
    this.#scopes[group] = scope;
    return scope;
  }

  /** Resource {  1 attributes KeyValue*  } */
  #readResource(group: number): Attributes {
    const attributes = new LazyAttributes(this.#rows.bytes);
    const [start, end] = [this.#rows.resourceStart(group), this.#rows.resourceEnd(group)];
    for (const [from, to] of fieldsOf(this.#rows.bytes, start, end, 0x0a)) attributes.add(from, to);
    return attributes;
  }

  /** InstrumentationScope {  1 name string   2 version string  } */
  #readScope(group: number): Scope {
    const buffer = this.#rows.bytes;
    const reader = new WireReader(buffer, this.#rows.scopeStart(group));
    const end = this.#rows.scopeEnd(group);
    let name = '';
    let version = '';
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag === 0x0a || tag === 0x12) {
        const stop = reader.lengthEnd(end);
        const text = buffer.toString('utf8', reader.at, stop);
        if (tag === 0x0a) name = text;
        else version = text;
        reader.at = stop;
      } else {
        reader.skip(tag, end);
      }
    }
    return { name, version };
  }
}
