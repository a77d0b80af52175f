import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncidentAnswer } from '#lib/api/watching/incidents.ts';
import { receptionAnswer } from '#lib/client/overview/overview.fixture.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { LoadEvent } from '../history/history-load.ts';
import { packObservations } from '../history/parts/history-part.ts';
import { ALONE } from '../zones/zone-rows.ts';
import type { LoadPast } from './incident-answer.ts';
import { IncidentDesk } from './incident-desk.ts';
import type { KeptBounds } from './keep.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const CENTRE: [number, number] = [8.5, 47.5];
const TRACKS = 20;
const STEP_S = 5;
const PART_S = 300;

/** Incidents over a past of twenty circling aircraft. */
export class ClosingWorld {
  readonly desk: IncidentDesk;
  readonly #database: Database;
  /** Called when sealing has read what it writes. */
  whileSealing = async (): Promise<unknown> => undefined;

  constructor(database: Database, bounds?: KeptBounds) {
    this.#database = database;
    this.desk = new IncidentDesk({
      database,
      now: () => NOW,
      everyone: ALONE,
      audit: {
        read: async () => {
          await this.whileSealing();
          return [];
        },
      },
      ...(bounds && { bounds }),
      watched: { between: async () => ({ stretches: [], layers: [] }) },
      reception: async () => receptionAnswer(),
      settings: {},
    });
  }

  /** @returns its id */
  async open(minutes: number): Promise<string> {
    const { id } = await this.desk.open(ALONE, {
      title: 'Circling',
      from: formatInstant(addMs(NOW, -(minutes + 5) * 60 * SECOND_MS)),
      to: formatInstant(addMs(NOW, -5 * 60 * SECOND_MS)),
      area: { type: 'Circle', centre: CENTRE, radius_m: 5000 },
      layers: ['adsb'],
    });
    return id;
  }

  async close(id: string, signal = new AbortController().signal): Promise<void> {
    const { revision } = await this.desk.store.one(id);
    await this.desk.close(ALONE, id, { revision, maxRequests: 500, incomplete: false, load: circling, signal });
  }

  async seal(id: string): Promise<void> {
    const { revision } = await this.desk.store.one(id);
    await this.desk.seal(ALONE, id, revision, new AbortController().signal);
  }

  answer(id: string): Promise<IncidentAnswer> {
    const { signal } = new AbortController();
    return this.desk.answer(id, 0, { load: circling, signal, runPiece: (piece) => piece() });
  }

  /** States of all incidents, of which each is whole. @throws Error for one that is not */
  async states(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const { id, state, kept, sealed } of await this.desk.store.list()) {
      counts[state] = (counts[state] ?? 0) + 1;
      if ((kept === null) !== (state === 'open')) throw new Error(`${state}, and kept: ${kept !== null}`);
      if (state === 'open') continue;
      const answer = await this.answer(id);
      if (answer.layers.adsb?.tracks.length !== TRACKS)
        throw new Error(`kept ${answer.layers.adsb?.tracks.length} tracks`);
      if ((sealed === null) !== (state === 'closed')) throw new Error(`${state}, and sealed: ${sealed !== null}`);
      if (sealed) await this.#verify(id, sealed.bytes);
    }
    return counts;
  }

  /** How many wholes no incident names. */
  async abandoned(): Promise<number> {
    const pieces = await this.#database.query.selectFrom('incident_piece').select('whole_id').distinct().execute();
    const rows = await this.#database.query.selectFrom('incident').select(['kept_id', 'file_id']).execute();
    const named = new Set(rows.flatMap(({ kept_id, file_id }) => [kept_id, file_id]));
    return pieces.filter(({ whole_id }) => !named.has(whole_id)).length;
  }

  async pieces(): Promise<number> {
    return (await this.#database.query.selectFrom('incident_piece').select('number').execute()).length;
  }

  async #verify(id: string, bytes: number): Promise<void> {
    const { body } = await this.desk.file(id);
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    const zip = Buffer.concat(parts);
    if (zip.byteLength !== bytes) throw new Error(`the file has ${zip.byteLength} of ${bytes} bytes`);
    const folder = mkdtempSync(join(tmpdir(), 'sealed-'));
    try {
      writeFileSync(join(folder, 'incident.zip'), zip);
      execFileSync('unzip', ['-q', 'incident.zip'], { cwd: folder });
      execFileSync('sha256sum', ['--quiet', '-c', 'SHA256SUMS'], { cwd: folder, stdio: 'ignore' });
      const signed = ['-rawin', '-in', 'SHA256SUMS', '-sigfile', 'SHA256SUMS.sig'];
      execFileSync('openssl', ['pkeyutl', '-verify', '-pubin', '-inkey', 'public.pem', ...signed], {
        cwd: folder,
        stdio: 'ignore',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/** A load in parts, as history has it. */
const circling: LoadPast = async function* (query): AsyncGenerator<LoadEvent> {
  const { window, bbox } = query;
  let records = 0;
  for (let start: UpstreamInstant = window.start; start < window.end; start = addMs(start, PART_S * SECOND_MS)) {
    const end = addMs(start, PART_S * SECOND_MS) < window.end ? addMs(start, PART_S * SECOND_MS) : window.end;
    const positions = positionsBetween(start, end);
    records += positions.length;
    const part = { layer: 'adsb', bbox, window: { start, end }, records: positions.length, truncated: false } as const;
    yield { kind: 'part', part: { ...part, unreadable: 0, body: await packObservations(positions) } };
  }
  yield { kind: 'line', line: { type: 'end', layers: { adsb: { complete: true, gaps: [], records, requests: 1 } } } };
};

function positionsBetween(start: UpstreamInstant, end: UpstreamInstant): readonly Position[] {
  const positions: Position[] = [];
  const stepMs = STEP_S * SECOND_MS;
  for (let atMs = Math.ceil(epochMs(start) / stepMs) * stepMs; atMs < epochMs(end); atMs += stepMs) {
    for (let track = 0; track < TRACKS; track++) {
      const angle = atMs / 60_000 + track;
      positions.push({
        ...plainPosition,
        ref: `RX-A-${String(track).padStart(16, '0')}`,
        observedAt: upstreamInstant(atMs),
        lon: CENTRE[0] + 0.02 * Math.cos(angle),
        lat: CENTRE[1] + 0.02 * Math.sin(angle),
      });
    }
  }
  return positions;
}
