/** Fields that may be absent, as JSON and exact types have it: left out, and not there with the value undefined. */
type Present<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

export function present<Fields extends object>(fields: Fields): Present<Fields> {
  // The cast holds: the fields that are undefined have just been left out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}
