import 'server-only';
import { createHash, randomUUID } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { ZipFile } from 'yazl';
import { ApiError } from '#lib/api/error-code.ts';
import type { AuditEntry } from '#lib/api/people/audit-event.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Incident, IncidentAnswer, OneIncident } from '#lib/api/watching/incidents.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { toIncident } from './incident-rows.ts';
import type { Incidents } from './incidents.ts';
import type { Pieces } from './pieces.ts';
import { readmeText } from './readme.ts';
import { replayHtml } from './replay-html.ts';
import { reportHtml } from './report-html.ts';
import type { SealedMaterial } from './sealed-material.ts';
import { signingKey } from './signing-key.ts';

/** Kept by closing, as they are in the file. */
const KEPT_FILES = [
  'positions.csv',
  'tracks.csv',
  'watched.csv',
  'alarms.json',
  'zones.geojson',
  'deliveries.json',
  'answer.json',
] as const;
/** The one file of a sealed whole. */
const ZIP = 'zip';

export interface SealOptions {
  readonly database: Database;
  readonly incidents: Incidents;
  readonly pieces: Pieces;
  readonly now: () => UpstreamInstant;
  /** Versions and settings that matter for what the file says; no secret. */
  readonly software: () => object;
  /** Entries of the audit about the incident since it was closed. */
  readonly auditSince: (incident: Incident) => Promise<readonly AuditEntry[]>;
}

export interface SealedFile {
  /** Of `SHA256SUMS`. */
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Makes the sealed file of a closed incident: one ZIP with checksums, signed. The incident is sealed with the last step, in
 * one transaction; before, nothing of the file counts.
 * @throws ApiError where it is not closed, or has changed
 */
export async function sealIncident(
  options: SealOptions,
  caller: ZoneCaller,
  id: string,
  revision: number,
  signal: AbortSignal,
): Promise<SealedFile> {
  const { database, incidents, pieces, now, software, auditSince } = options;
  const row = await incidents.row(id);
  const { kept_id: keptId } = row;
  if (row.state !== 'closed' || keptId === null)
    throw new ApiError('not_possible', row.state === 'sealed' ? 'It is sealed already.' : 'Close the incident first.');
  if (row.revision !== revision)
    throw new ApiError('revision_conflict', 'Another change of this incident came first: read it again.');
  await pieces.dropAbandoned();
  const notes = await incidents.notes(id);
  const incident = toIncident(row, notes.length);
  const key = await signingKey(database);
  const atMs = Math.floor(epochMs(now()));
  const alarms = JSON.parse(await pieces.text(keptId, 'alarms.json')) as {
    readonly alarms: readonly Alarm[];
    readonly added: OneIncident['added'];
    readonly pinned_tracks: OneIncident['tracks'];
  };
  const material: SealedMaterial = {
    incident,
    sealed: { by: caller.actor, atMs },
    notes,
    answer: JSON.parse(await pieces.text(keptId, 'answer.json')) as IncidentAnswer,
    alarms: alarms.alarms,
    pins: { added: alarms.added, tracks: alarms.pinned_tracks },
    watched: rowsOf(await pieces.text(keptId, 'watched.csv')),
    publicPem: key.publicPem,
    positions: () => pieces.read(keptId, 'positions.csv'),
  };
  const { entries } = JSON.parse(await pieces.text(keptId, 'audit.json')) as {
    readonly entries: readonly AuditEntry[];
  };
  const audit = merged(entries, await auditSince(incident));
  const contents: Readonly<Record<string, () => Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>>> = {
    'README.txt': () => [readmeText(material)],
    'report.html': () => reportHtml(material),
    'replay.html': () => replayHtml(material),
    ...Object.fromEntries(KEPT_FILES.map((name) => [name, () => pieces.read(keptId, name)])),
    'notes.json': () => [json({ notes })],
    'audit.json': () => [json({ entries: audit })],
    'software.json': () => [json(software())],
    'public.pem': () => [key.publicPem],
  };
  const fileId = randomUUID();
  const writer = pieces.writer(fileId, true);
  try {
    let sums = '';
    let bytes = 0;
    const zip = new ZipFile();
    const options = { mtime: new Date(atMs), mode: 0o100444 };
    for (const [name, make] of Object.entries(contents)) {
      zip.addReadStreamLazy(name, options, (give) => {
        const hash = createHash('sha256');
        const hashed = new Transform({
          transform(chunk: Buffer, _, done) {
            hash.update(chunk);
            done(null, chunk);
          },
          flush(done) {
            sums += `${hash.digest('hex')}  ${name}\n`;
            done();
          },
        });
        const source = Readable.from(bytesOf(make()), { objectMode: false });
        source.on('error', (error) => hashed.destroy(error));
        give(null, source.pipe(hashed));
      });
    }
    // The sums are complete when their turn comes.
    zip.addReadStreamLazy('SHA256SUMS', options, (give) => give(null, Readable.from([Buffer.from(sums)])));
    zip.addReadStreamLazy('SHA256SUMS.sig', options, (give) =>
      give(null, Readable.from([Buffer.from(key.sign(Buffer.from(sums)))])),
    );
    zip.end();
    const failed = new Promise<never>((_, reject) => zip.on('error', reject));
    failed.catch(() => undefined);
    const written = (async () => {
      for await (const chunk of zip.outputStream as Readable) {
        signal.throwIfAborted();
        bytes += (chunk as Buffer).byteLength;
        await writer.write(ZIP, chunk as Buffer);
      }
      await writer.end();
    })();
    await Promise.race([written, failed]);
    const sha256 = createHash('sha256').update(sums).digest('hex');
    await incidents.sealed(caller, id, revision, { id: fileId, sha256, bytes, atMs });
    return { sha256, bytes };
  } catch (error) {
    // A run that is killed here leaves its pieces, which a later one drops.
    await pieces.drop(fileId).catch(() => undefined);
    throw error;
  }
}

/** The bytes of a sealed file. @throws ApiError where it is not sealed */
export async function sealedFile(
  { incidents, pieces }: Pick<SealOptions, 'incidents' | 'pieces'>,
  id: string,
): Promise<{ readonly name: string; readonly bytes: number; readonly body: AsyncGenerator<Uint8Array> }> {
  const row = await incidents.row(id);
  if (row.file_id === null) throw new ApiError('not_possible', 'The incident is not sealed yet.');
  return {
    name: `incident-${toIncident(row, 0).number}.zip`,
    bytes: row.file_bytes ?? 0,
    body: pieces.read(row.file_id, ZIP, true),
  };
}

async function* bytesOf(
  parts: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Buffer> {
  for await (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : Buffer.from(part);
}

/** No cell of `watched.csv` has a comma or a quote. */
function rowsOf(csv: string): readonly (readonly string[])[] {
  return csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','));
}

function merged(kept: readonly AuditEntry[], since: readonly AuditEntry[]): readonly AuditEntry[] {
  const known = new Set(kept.map(({ id }) => id));
  return [...kept, ...since.filter(({ id }) => !known.has(id))];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
