/**
 * The places of a port, and who gives way when all are taken. Addresses share them: no address can keep another one out
 * with connections that do nothing.
 *
 *   silent   no request has come on it: a request that never ends its head, a handshake, nothing at all
 *   idle     between requests
 *   busy     a request is in hand
 *
 * The address that has most gives way to one that has fewer, otherwise the newcomer's own does. Its longest silent
 * connection goes first, then the one that has been idle for longest. The longest silent one of another address is next.
 * A busy connection goes only for an address that has fewer: the one that has been busy for longest. The newcomer is
 * refused if none is left.
 *
 * Everything takes constant time, however many addresses there are.
 */
const STATES = ['silent', 'idle', 'busy'] as const;
type State = (typeof STATES)[number];

interface Holder<Connection> {
  readonly connection: Connection;
  readonly group: Group<Connection>;
  state: State;
  requests: number;
}

/** The connections of one address, by state, each in the order in which they came to it. */
interface Group<Connection> extends Readonly<Record<State, Set<Holder<Connection>>>> {
  readonly address: string;
  size: number;
}

export class Places<Connection> {
  readonly #max: number;
  readonly #holders = new Map<Connection, Holder<Connection>>();
  readonly #groups = new Map<string, Group<Connection>>();
  /** Groups of connections by their size. */
  readonly #bySize = new Map<number, Set<Group<Connection>>>();
  readonly #silent = new Set<Holder<Connection>>();
  #largest = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes a place. Returns the connection that loses its own to it, perhaps the new one; undefined if there was room. */
  take(connection: Connection, address: string): Connection | undefined {
    const group = this.#groups.get(address) ?? this.#newGroup(address);
    const holder: Holder<Connection> = { connection, group, state: 'silent', requests: 0 };
    this.#holders.set(connection, holder);
    group.silent.add(holder);
    this.#silent.add(holder);
    this.#resize(group, 1);
    if (this.#holders.size <= this.#max) return undefined;
    const loser = this.#loserTo(holder).connection;
    this.leave(loser);
    return loser;
  }

  /** A request has come on it. */
  began(connection: Connection): void {
    const holder = this.#holders.get(connection);
    if (holder === undefined) return;
    holder.requests += 1;
    this.#move(holder, 'busy');
  }

  /** A request of the connection has ended. */
  ended(connection: Connection): void {
    const holder = this.#holders.get(connection);
    if (holder === undefined) return;
    holder.requests -= 1;
    if (holder.requests === 0) this.#move(holder, 'idle');
  }

  /** May be called for one that has no place any more. */
  leave(connection: Connection): void {
    const holder = this.#holders.get(connection);
    if (holder === undefined) return;
    const { group, state } = holder;
    this.#holders.delete(connection);
    this.#silent.delete(holder);
    group[state].delete(holder);
    this.#resize(group, -1);
    if (group.size === 0) this.#groups.delete(group.address);
  }

  #loserTo(newcomer: Holder<Connection>): Holder<Connection> {
    const own = newcomer.group;
    const [most = own] = this.#bySize.get(this.#largest) ?? [];
    const isLarger = most.size > own.size;
    const giving = isLarger ? most : own;
    const silent = first(giving.silent);
    if (silent !== undefined && silent !== newcomer) return silent;
    const idle = first(giving.idle);
    if (idle !== undefined) return idle;
    const silentAnywhere = first(this.#silent);
    if (silentAnywhere !== undefined && silentAnywhere !== newcomer) return silentAnywhere;
    return (isLarger ? first(most.busy) : undefined) ?? newcomer;
  }

  #newGroup(address: string): Group<Connection> {
    const group = { address, size: 0, silent: new Set<never>(), idle: new Set<never>(), busy: new Set<never>() };
    this.#groups.set(address, group);
    return group;
  }

  /** The largest size changes by one at most, because only one connection comes or goes. */
  #resize(group: Group<Connection>, by: 1 | -1): void {
    const before = this.#bySize.get(group.size);
    before?.delete(group);
    if (before?.size === 0) this.#bySize.delete(group.size);
    group.size += by;
    if (group.size > 0) {
      const after = this.#bySize.get(group.size) ?? new Set();
      this.#bySize.set(group.size, after.add(group));
    }
    if (group.size > this.#largest || !this.#bySize.has(this.#largest)) this.#largest = group.size;
  }

  #move(holder: Holder<Connection>, state: State): void {
    const { group } = holder;
    this.#silent.delete(holder);
    group[holder.state].delete(holder);
    holder.state = state;
    group[state].add(holder);
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const item of set) return item;
  return undefined;
}
