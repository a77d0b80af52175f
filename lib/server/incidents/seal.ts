import 'server-only';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { IncidentAnswer, OneIncident } from '#lib/api/watching/incidents.ts';
import { epochMs, localInstant } from '#lib/time/instant.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { toIncident } from './incident-rows.ts';
import { aboutIncident, json, type KeepOptions, type KeptAction } from './keep.ts';
import { readmeText } from './readme.ts';
import { replayHtml } from './replay-html.ts';
import { reportHtml } from './report-html.ts';
import type { SealedMaterial } from './sealed-material.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

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
export const ZIP = 'zip';

export interface SealOptions extends Omit<KeepOptions, 'watched' | 'everyone' | 'bounds'> {
  /** Versions and settings that matter for what the file says; no secret. */
  readonly software: object;
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
export async function makeSealedFile(
  options: SealOptions,
  caller: ZoneCaller,
  id: string,
  revision: number,
  signal: AbortSignal,
): Promise<SealedFile> {
  const { database, incidents, pieces, audit, now, software } = options;
  const row = await incidents.rowFor('seal', id, revision);
  const keptId = row.kept_id as string;
  const notes = await incidents.notes(id);
  const incident = toIncident(row, notes.length);
  const key = await signingKey(database);
  const atMs = Math.floor(epochMs(now()));
  const kept = async <Value>(name: string) => JSON.parse(await pieces.text(keptId, name)) as Value;
  const alarms = await kept<{
    readonly alarms: readonly Alarm[];
    readonly added: OneIncident['added'];
    readonly pinned_tracks: OneIncident['tracks'];
  }>('alarms.json');
  const material: SealedMaterial = {
    incident,
    sealed: { by: caller.actor, atMs },
    notes,
    answer: await kept<IncidentAnswer>('answer.json'),
    alarms: alarms.alarms,
    pins: { added: alarms.added, tracks: alarms.pinned_tracks },
    watched: rowsOf(await pieces.text(keptId, 'watched.csv')),
    publicPem: key.publicPem,
    positions: () => pieces.read(keptId, 'positions.csv'),
  };
  const { entries } = await kept<{ readonly entries: readonly KeptAction[] }>('audit.json');
  const known = new Set(entries.map((entry) => entry.id));
  const closedAt = localInstant(row.closed_ms ?? row.opened_ms);
  const later = (await aboutIncident(audit, closedAt, new Set(), id)).filter((entry) => !known.has(entry.id));
  const { zip, sums } = signedZip(new Date(atMs), key, {
    'README.txt': () => [readmeText(material)],
    'report.html': () => reportHtml(material),
    'replay.html': () => replayHtml(material),
    ...Object.fromEntries(KEPT_FILES.map((name) => [name, () => pieces.read(keptId, name)])),
    'notes.json': () => [json({ notes })],
    'audit.json': () => [json({ entries: [...entries, ...later] })],
    'software.json': () => [json(software)],
    'public.pem': () => [key.publicPem],
  });
  return pieces.whole(true, async (writer) => {
    for await (const chunk of zip) {
      signal.throwIfAborted();
      await writer.write(ZIP, chunk);
    }
    await writer.end();
    const sha256 = createHash('sha256').update(sums()).digest('hex');
    const columns = { sealed_by: caller.actor, sealed_ms: atMs, file_id: writer.id, file_sha256: sha256 };
    const end = { state: 'sealed', ...columns, file_bytes: writer.bytes } as const;
    await incidents.end('seal', caller, id, revision, end, notes.length);
    return { sha256, bytes: writer.bytes };
  });
}

type Contents = Readonly<Record<string, () => Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>>>;

/**
 * A ZIP of files, each made when its turn comes, and last `SHA256SUMS` with its signature. Holds no file whole.
 * @returns with the sums, complete once the ZIP is read
 */
export function signedZip(mtime: Date, key: SigningKey, contents: Contents) {
  let sums = '';
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const fail = (error: Error) => output.destroy(error);
  zip.on('error', fail);
  // yazl does not listen to errors of what it reads.
  const add = (name: string, source: () => Readable) =>
    zip.addReadStreamLazy(name, { mtime, mode: 0o100444 }, (give) => give(null, source().on('error', fail)));
  for (const [name, make] of Object.entries(contents))
    add(name, () =>
      Readable.from(
        (async function* () {
          const hash = createHash('sha256');
          for await (const part of make()) {
            const bytes = Buffer.from(part);
            hash.update(bytes);
            yield bytes;
          }
          sums += `${hash.digest('hex')}  ${name}\n`;
        })(),
        { objectMode: false },
      ),
    );
  add('SHA256SUMS', () => Readable.from([Buffer.from(sums)]));
  add('SHA256SUMS.sig', () => Readable.from([Buffer.from(key.sign(Buffer.from(sums)))]));
  zip.end();
  return { zip: output as AsyncIterable<Buffer>, sums: () => sums };
}

/** No cell of `watched.csv` has a comma or a quote. */
function rowsOf(csv: string): readonly (readonly string[])[] {
  return csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','));
}
