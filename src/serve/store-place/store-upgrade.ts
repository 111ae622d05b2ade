/** Changes that a start of this version makes in a store, and the data that it throws away: reported before it does. */
import { discardedState } from '../../engine/detection/state-format.ts';
import type { DamageEvent } from '../../model/events/damage-events.ts';
import { type FoundStore, type Migration, refusalOf, schemaAfter } from '../../store/migration.ts';

export interface StoreUpgrade {
  readonly from: SchemaName;
  readonly to: SchemaName;
  /** Data that it throws away, as noun phrases. */
  readonly discards: readonly string[];
  /** Reason why this version does not open the store. */
  readonly refusal: string | undefined;
}

interface SchemaName {
  readonly schema: number;
  /** Version of Assay that brought it. */
  readonly since: string;
}

/** Undefined where there is no store yet. */
export function upgradeOf(found: FoundStore | undefined, migrations: readonly Migration[]): StoreUpgrade | undefined {
  if (found === undefined) return undefined;
  const { schema, detection } = found;
  const { version } = schema;
  const since = schema.since ?? schemaAfter(migrations, version).since ?? '';
  const newest = schemaAfter(migrations, migrations.length);
  const isBehind = version < newest.version;
  const pending = migrations.slice(version);
  const learned = discardedState(detection);
  return {
    from: { schema: version, since },
    to: isBehind ? { schema: newest.version, since: newest.since ?? '' } : { schema: version, since },
    discards: [
      ...pending.flatMap(({ discards }) => (discards?.forward === undefined ? [] : [discards.forward])),
      ...(learned === undefined ? [] : [learned]),
    ],
    refusal: refusalOf(schema, migrations.length),
  };
}

/** Empty if a start changes nothing. */
export function upgradeEvents(upgrade: StoreUpgrade | undefined): readonly DamageEvent[] {
  if (upgrade === undefined || upgrade.refusal !== undefined) return [];
  const { from, to, discards } = upgrade;
  if (from.schema === to.schema && discards.length === 0) return [];
  return [{ type: 'store-upgrading', from: nameOf(from), to: nameOf(to), discards }];
}

export function nameOf({ schema, since }: SchemaName): string {
  return `schema version ${schema} (Assay ${since})`;
}
