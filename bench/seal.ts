import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { EXPORTED_FIELDS } from '#lib/server/export/export-writers.ts';
import { ClosingWorld } from '#lib/server/incidents/closing-world.fixture.ts';
import { Pieces } from '#lib/server/incidents/pieces.ts';
import { ALONE } from '#lib/server/zones/zone-rows.ts';
import { csvRows } from '#lib/text/csv.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { rounded } from './figures.ts';

const POSITIONS = Number(process.env.SEAL_POSITIONS ?? 5_000_000);
const TRACKS = 2000;
const ROWS_AT_ONCE = 1000;
const START_MS = Date.UTC(2026, 10, 21, 11);
const SPAN_MS = 3_300_000;
const GOAL = { waits_p99_ms: 100, file_mb: 200 };

/** Other requests of the server wait for the event loop so long. */
export async function bench(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-seal-'));
  const database = await openDatabase({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') });
  try {
    const world = new ClosingWorld(database);
    const id = await world.open(60);
    await keep(world, database, id);
    const waits = monitorEventLoopDelay({ resolution: 5 });
    let peakBytes = 0;
    const memory = setInterval(() => {
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    }, 100);
    waits.enable();
    const startedMs = performance.now();
    await world.seal(id);
    waits.disable();
    clearInterval(memory);
    const { sealed } = await world.desk.store.one(id);
    const p99 = rounded(waits.percentile(99) / 1e6, 1);
    const fileMb = rounded((sealed?.bytes ?? 0) / 1e6, 1);
    return {
      what: `${POSITIONS} positions of ${TRACKS} tracks are sealed; waits of the event loop meanwhile`,
      goal: GOAL,
      reached: p99 <= GOAL.waits_p99_ms && fileMb <= GOAL.file_mb,
      waits_ms: { p99, max: rounded(waits.max / 1e6, 1) },
      seal_s: rounded((performance.now() - startedMs) / 1000, 1),
      file_mb: fileMb,
      peak_mb: rounded(peakBytes / 1e6, 0),
    };
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}

/** As closing does, without the past to read. */
async function keep(
  world: ClosingWorld,
  database: Awaited<ReturnType<typeof openDatabase>>,
  id: string,
): Promise<void> {
  const pieces = new Pieces(database, () => upstreamInstant(START_MS));
  await pieces.whole(false, async (writer) => {
    await writer.write('positions.csv', csvRows([['layer', 'inside', ...EXPORTED_FIELDS]]));
    for (let first = 0; first < POSITIONS; first += ROWS_AT_ONCE)
      await writer.write(
        'positions.csv',
        csvRows(Array.from({ length: ROWS_AT_ONCE }, (_, index) => rowOf(first + index))),
      );
    const texts = {
      'tracks.csv': 'layer,track\r\n',
      'watched.csv': 'what,layer,from,to,state,reason\r\n',
      'answer.json': JSON.stringify({ as_of: new Date(START_MS).toISOString(), layers: {} }),
      'alarms.json': JSON.stringify({ alarms: [], added: [], pinned_tracks: [] }),
      'deliveries.json': '{"deliveries":[]}',
      'zones.geojson': '{"type":"FeatureCollection","features":[]}',
      'audit.json': '{"entries":[]}',
    };
    for (const [name, text] of Object.entries(texts)) await writer.write(name, text);
    await writer.end();
    const { revision } = await world.desk.store.one(id);
    await world.desk.store.end('close', ALONE, id, revision, {
      state: 'closed',
      to_ms: START_MS + SPAN_MS,
      closed_ms: START_MS + SPAN_MS,
      closed_by: '',
      kept_id: writer.id,
      kept_positions: POSITIONS,
      kept_bytes: writer.bytes,
    });
  });
}

function rowOf(number: number): (string | number | boolean | null)[] {
  const track = number % TRACKS;
  const step = Math.floor(number / TRACKS);
  const angle = track + step / 50;
  const fields: Readonly<Record<string, string | number | boolean>> = {
    public_track_id: `RX-A-${String(track).padStart(16, '0')}`,
    track_kind: 'aircraft',
    observed_at: new Date(START_MS + Math.floor((SPAN_MS * number) / POSITIONS)).toISOString(),
    longitude: 8.5 + Math.round(20_000 * Math.cos(angle)) / 1e6,
    latitude: 47.5 + Math.round(20_000 * Math.sin(angle)) / 1e6,
    altitude_m: 1000 + (step % 300),
    speed_mps: 60 + (step % 40),
    heading_deg: step % 360,
    confidence: 'single',
    emergency_state: 'none',
    simulated: false,
    test_broadcast: false,
  };
  return ['adsb', true, ...EXPORTED_FIELDS.map((name) => fields[name] ?? null)];
}
