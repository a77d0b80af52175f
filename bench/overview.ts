import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { LayerTally } from '#lib/overview/layer-tally.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { ONLY_SERVER } from '#lib/server/database/writer-lease.ts';
import { OverviewAnswers } from '#lib/server/overview/overview-answers.ts';
import { OverviewStore } from '#lib/server/overview/overview-store.ts';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { cpuMsUntil } from '#testing/cpu-ms.ts';
import { rounded, spread, sum, timed } from './figures.ts';
import { FIRST_HOUR, REGION, simulatedHour } from './segments.ts';

const DAYS = 30;
const GOAL = { answer_ms: 2000, month_mb: 20 };
const ANSWERS = 5;

export async function bench(): Promise<object> {
  const { tally, observations, countedMs, repeatedMs } = countedHour();
  const folder = mkdtempSync(join(tmpdir(), 'lookout-overview-'));
  const file = join(folder, 'lookout.sqlite');
  try {
    const database = await openDatabase({ dialect: 'sqlite', file });
    const emptyBytes = statSync(file).size;
    const store = new OverviewStore(database);
    const [, openMs] = timed(() => tally.take(epochMs(FIRST_HOUR)));
    await store.write(tally.take(epochMs(FIRST_HOUR) + 2 * HOUR_MS), ONLY_SERVER.fence ?? 0);
    const row = await database.query.selectFrom('overview_hour').selectAll().executeTakeFirstOrThrow();
    for (let hour = 1; hour < DAYS * 24; hour++)
      await database.query
        .insertInto('overview_hour')
        .values({ ...row, hour_ms: row.hour_ms + hour * HOUR_MS })
        .execute();
    const window = { start: FIRST_HOUR, end: addMs(FIRST_HOUR, DAYS * DAY_MS) };
    const answersOf = () => new OverviewAnswers(store, () => FIRST_HOUR);
    const [answerMs, cachedMs, hoursMs, measuredMs] = [[], [], [], []] as [number[], number[], number[], number[]];
    const coverage = await answersOf().coverage({ layer: 'adsb', ...window });
    const around = { west: 8, south: 47, east: 8.5, north: 47.5 };
    for (let answer = 0; answer < ANSWERS; answer++) {
      // Answers keep sums of closed hours: only the first of its kind reads them.
      const answers = answersOf();
      answerMs.push(await cpuMsUntil(() => answers.coverage({ layer: 'adsb', ...window })));
      cachedMs.push(await cpuMsUntil(() => answers.coverage({ layer: 'adsb', ...window })));
      hoursMs.push(await cpuMsUntil(() => answers.hours(window, around)));
      measuredMs.push(await cpuMsUntil(() => answers.coverage({ layer: 'adsb', cells: 'measured', ...window })));
    }
    await database.close();
    const [answersMs, monthMb] = [spread(answerMs), (statSync(file).size - emptyBytes) / 1e6];
    const counted = sum(coverage.cells.positions);
    return {
      what: `The hour of \`segments\`, read whole each second, ${DAYS * 24} times. Answers are processor time of the thread; others decompress meanwhile. Cells of ${coverage.cell_deg}°, ${HEIGHT_BANDS.adsb.length} height bands`,
      goal: GOAL,
      reached:
        Math.max(answersMs.median, spread(measuredMs).median) <= GOAL.answer_ms &&
        monthMb <= GOAL.month_mb &&
        counted === observations * DAYS * 24,
      observations: counted,
      cells: coverage.cells.column.length,
      month_mb: rounded(monthMb),
      answer_ms: answersMs,
      cached_answer_ms: spread(cachedMs),
      hours_ms: spread(hoursMs),
      measured_answer_ms: spread(measuredMs),
      counted_us: rounded((countedMs * 1000) / observations, 3),
      repeated_us: rounded((repeatedMs * 1000) / observations, 3),
      written_ms: openMs,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Keeps no positions: collections would read them. */
function countedHour() {
  const seconds = answersOfAnHour();
  const tally = new LayerTally('adsb');
  let [countedMs, repeatedMs] = [0, 0];
  for (const [second, positions] of seconds.entries()) {
    const readMs = epochMs(FIRST_HOUR) + second * SECOND_MS;
    const read = () => tally.read({ key: 'region', bbox: REGION, positions, readMs, isComplete: true });
    countedMs += timed(read)[1];
    repeatedMs += timed(read)[1];
  }
  return { tally, observations: sum(seconds.map(({ size }) => size)), countedMs, repeatedMs };
}

function answersOfAnHour(): readonly ReadonlyMap<string, Position>[] {
  const seconds = Array.from({ length: 3600 }, () => new Map<string, Position>());
  for (const { sourceId: ref, observedAt, lon, lat, altitudeM } of simulatedHour()) {
    const second = Math.floor((epochMs(observedAt) - epochMs(FIRST_HOUR)) / SECOND_MS);
    // A track has one position an answer.
    let at = second;
    while (seconds[at]?.has(ref)) at++;
    seconds[at]?.set(ref, { ...plainPosition, ref, observedAt, lon, lat, altitudeM: altitudeM ?? undefined });
  }
  return seconds;
}
