import 'server-only';
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Permits leave the contents of zones, and the current ones become rows of their own. */
export const permits: Migration = {
  name: '0008-permits',
  statements: ({ text, integer, end }) => [
    `create table permit (
    id ${text} primary key,
    zone_id ${text} not null,
    revision ${integer} not null,
    name ${text} not null,
    terms ${text} not null,
    start_ms ${integer} not null,
    end_ms ${integer} not null,
    made_by ${text} not null,
    made_ms ${integer} not null,
    changed_by ${text},
    changed_ms ${integer},
    ended_by ${text},
    ended_ms ${integer}
  ) ${end}`,
    `create index permit_zone on permit (zone_id, end_ms)`,
    `create index permit_end on permit (end_ms)`,
  ],
  convert: movePermits,
};

interface Row {
  readonly zone_id: string;
  readonly revision: number;
  readonly content: string;
  readonly author_name: string;
  readonly at_ms: number;
  /** Of the zone now; null for a removed zone. */
  readonly current: number | null;
}

interface EarlierPermit {
  readonly track: { readonly layer: string; readonly ref: string } | null;
  readonly until: string;
  readonly up_to_m: number | null;
  readonly note?: string;
}

/** Such permits began when they were saved, and their limit was in the zone's height field. */
async function movePermits(db: Kysely<unknown>): Promise<void> {
  for (;;) {
    const { rows } = await sql<Row>`
      select zone_revision.zone_id, zone_revision.revision, content, author_name, at_ms, zone.revision as current
      from zone_revision left join zone on zone.id = zone_revision.zone_id
      where content like '%"permits":%' limit 100`.execute(db);
    if (rows.length === 0) return;
    for (const { zone_id, revision, content, author_name, at_ms, current } of rows) {
      const { permits: all = [], ...rest } = JSON.parse(content) as Readonly<Record<string, unknown>> & {
        readonly permits?: readonly EarlierPermit[];
      };
      await sql`update zone_revision set content = ${JSON.stringify(rest)}
        where zone_id = ${zone_id} and revision = ${revision}`.execute(db);
      if (Number(current) !== Number(revision)) continue;
      const { field = 'height_agl_m' } = (rest.vertical ?? {}) as { readonly field?: string };
      for (const [index, { track, until, up_to_m, note = '' }] of all.entries()) {
        const terms = {
          layers: track ? [track.layer] : ['rid', 'adsb'],
          track,
          shape: null,
          vertical: up_to_m === null ? null : { field, floor_m: null, ceiling_m: up_to_m },
        };
        const name = [...note.replace(/\s+/g, ' ').trim()].slice(0, 80).join('') || 'Permit';
        await sql`insert into permit
          (id, zone_id, revision, name, terms, start_ms, end_ms, made_by, made_ms)
          values (${permitId(`${zone_id} ${index}`)}, ${zone_id}, 1, ${name}, ${JSON.stringify(terms)}, ${at_ms}, ${Date.parse(until)},
            ${author_name}, ${at_ms})`.execute(db);
      }
    }
  }
}

/** A UUID of version 8: a copied zone had permits with the ids of the first. */
function permitId(key: string): string {
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
