import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { coverageSchema, LOOKS, overviewHoursSchema, receptionSchema } from '#lib/api/overview.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { ONLY_SERVER } from '#lib/server/database/writer-lease.ts';
import { HOURS_CSV_COLUMNS } from '#lib/server/overview/overview-csv.ts';
import { STEP_S, TalliedWorld, TRACKS } from '#lib/server/overview/tallied-world.fixture.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { Zones } from '#lib/server/zones/zones.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { GET as GET_COVERAGE } from './coverage/route.ts';
import { GET as GET_HOURS } from './hours/route.ts';
import { GET as GET_RECEPTION } from './reception/route.ts';

const STEPS = 20;
let world: TalliedWorld;
let zones: Zones;

const request = signedInRoutes(
  { al: 'operator', vic: 'viewer' },
  {
    get overview() {
      return world.answers;
    },
    get zones() {
      return zones;
    },
  },
);

beforeAll(async () => {
  const database = await memoryDatabase();
  zones = new Zones(database, () => upstreamInstant(0));
  world = new TalliedWorld(database, ONLY_SERVER);
  await world.tally.write();
  for (let step = 0; step < STEPS; step++) world.read(step);
  await world.tally.write();
});

const WINDOW = 'start=2026-11-21T12:10:00Z&end=2026-11-21T13:10:00Z';
const coverage = (query: string, operator: string | undefined = 'vic') =>
  GET_COVERAGE(request('GET', `/api/overview/coverage?${query}`, operator));
const hours = (query: string, operator: string | undefined = 'vic') =>
  GET_HOURS(request('GET', `/api/overview/hours?${query}`, operator));

describe('/api/overview', () => {
  test('answers coverage in whole hours, with cells by columns', async () => {
    const answer = coverageSchema.parse(await (await coverage(`${WINDOW}&layer=rid&bbox=8.1,47.1,8.5,47.5`)).json());
    expect(answer).toMatchObject({ start: '2026-11-21T12:00:00.000Z', end: '2026-11-21T14:00:00.000Z', band: null });
    expect(new Set(Object.values(answer.cells).map(({ length }) => length)).size).toBe(1);
    expect(answer.cells.positions.reduce((sum, each) => sum + each)).toBe(TRACKS * STEPS);
    const [west, south, east, north] = answer.bbox ?? [0, 0, 0, 0];
    expect([west <= 8.1, south <= 47.1, east >= 8.5, north >= 47.5]).toEqual([true, true, true, true]);
  });

  test('measures reception in larger cells, by what was received between the first and last reception', async () => {
    const cellsOf = async (query: string) =>
      coverageSchema.parse(await (await coverage(`${WINDOW}&layer=rid&${query}`)).json());
    const fine = await cellsOf('bbox=8.1,47.1,8.5,47.5');
    expect(new Set([...fine.cells.received_s, ...fine.cells.followed_s])).toEqual(new Set([null]));
    const { cell_deg, cells } = await cellsOf('bbox=8.1,47.1,8.5,47.5&cells=measured');
    expect(cell_deg).toBe(1 / 32);
    const sum = (column: readonly (number | null)[]) => column.reduce<number>((all, each) => all + (each ?? 0), 0);
    // A read each 5 s, of steps of 10 s without the first and the last one.
    expect(sum(cells.followed_s)).toBe(TRACKS * ((STEPS * STEP_S) / 10 - 2) * 10);
    expect(cells.received_s).toEqual(cells.followed_s);
    expect(cells.followed_s[cells.positions.indexOf(0)]).toBe(null);
    expect((await coverage(`${WINDOW}&layer=rid&cells=large`)).status).toBe(400);
  });

  test('answers the reception of an area by height, and has none where nothing was received', async () => {
    const of = async (bbox: string) => {
      const response = await GET_RECEPTION(request('GET', `/api/overview/reception?bbox=${bbox}`, 'vic'));
      return receptionSchema.parse(await response.json()).layers.find(({ layer }) => layer === 'rid')!;
    };
    const here = await of('8.25,47.1,8.45,47.5');
    // One of the three drones is not here. The step before the first one is read with it.
    const stepsS = 2 * ((STEPS * STEP_S) / 10 - 2) * 10;
    expect(here.bands.map(({ positions, followed_s, received_s }) => [positions, followed_s, received_s])).toEqual([
      [0, null, null],
      [2 * (STEPS + 1), stepsS, stepsS],
      [0, null, null],
      [0, null, null],
      [0, null, null],
    ]);
    expect(here).toMatchObject({ watched_s: (STEPS - 1) * STEP_S, cell_deg: 1 / 32 });
    const elsewhere = await of('8.8,47.8,8.9,47.9');
    expect(elsewhere.bands.every(({ positions, received_s }) => positions === 0 && received_s === null)).toBe(true);
    expect(await of('8.25,47.1,8.45,47.5')).toEqual(here);
    expect((await GET_RECEPTION(request('GET', '/api/overview/reception', 'vic'))).status).toBe(400);
  });

  test('answers hours of a zone by the cells that it touches', async () => {
    const circle = { type: 'Circle' as const, centre: [8.2, 47.205] as [number, number], radius_m: 500 };
    const { id } = await zones.add(
      { owner: 'vic', name: 'Vic', actor: 'Vic', isAdmin: false },
      newZone({ shape: circle }),
    );
    const { layers } = overviewHoursSchema.parse(await (await hours(`${WINDOW}&zone=${id}`)).json());
    const [first, second] = layers[0]?.hours ?? [];
    expect(first).toMatchObject({ references: 1, references_error: null, watched_s: (STEPS - 1) * STEP_S });
    expect(second).toMatchObject({ positions: 0, watched_s: 0, partly_s: 0 });
    expect(await refusalIn(await hours(`${WINDOW}&zone=${id}`, 'al'))).toEqual([404, 'not_found']);
    const vic = { owner: 'vic', name: 'vic', actor: 'vic', isAdmin: false };
    const { rules, ...shared } = await zones.add(vic, newZone({ name: 'Once shared', shared: true }));
    expect((await hours(`${WINDOW}&zone=${shared.id}`, 'al')).status).toBe(200);
    await zones.change(vic, shared.id, { ...newZone({ name: 'Private', shared: false }), rules, revision: 1 });
    expect(await refusalIn(await hours(`${WINDOW}&zone=${shared.id}`, 'al'))).toEqual([404, 'not_found']);
  });

  test('adds up height bands: of the map and of the hours, which then are of one layer', async () => {
    const received = async (band: string | undefined) => {
      const asked = `${WINDOW}&layer=rid${band === undefined ? '' : `&band=${band}`}`;
      const { cells } = coverageSchema.parse(await (await coverage(`${asked}&bbox=8,47,9,48`)).json());
      const answer = overviewHoursSchema.parse(await (await hours(`${asked}&bbox=8,47,9,48`)).json());
      expect(answer.layers.map(({ layer }) => layer)).toEqual(['rid']);
      expect(answer.band).toBe(band ?? null);
      const inCells = cells.positions.reduce((sum, each) => sum + each, 0);
      const inHours = answer.layers[0]?.hours.reduce((sum, { positions }) => sum + positions, 0);
      expect(inHours).toBe(inCells);
      return inCells;
    };
    const bands = ['-30', '30-60', '60-120', '120-', 'unknown'];
    let sum = 0;
    for (const band of bands) sum += await received(band);
    expect(sum).toBe(TRACKS * STEPS);
    expect(await received(bands.join())).toBe(sum);
    expect(await received(undefined)).toBe(sum);
    expect(await refusalIn(await hours(`${WINDOW}&bbox=8,47,9,48&band=-30`))).toEqual([400, 'bad_query']);
  });

  test('counts nights or working hours alone, by the clock of a time zone', async () => {
    // Hours from Saturday 21 November to Monday 23 November, noon.
    const days = 'start=2026-11-21T12:00:00Z&end=2026-11-23T12:00:00Z&layer=rid&bbox=8,47,9,48';
    const startsOf = async (times: string) => {
      const answer = overviewHoursSchema.parse(await (await hours(`${days}&${times}`)).json());
      return answer.layers[0]?.hours.map(({ start }) => start.slice(8, 13)) ?? [];
    };
    const night = await startsOf('times=night');
    expect([night.length, night[0], night[9], night[10]]).toEqual([20, '21T20', '22T05', '22T20']);
    expect(await startsOf('times=work')).toEqual(['23T08', '23T09', '23T10', '23T11']);
    expect((await startsOf('times=night&time_zone=Europe/Zurich'))[0]).toBe('21T19');
    const positionsIn = async (times: string) => {
      const { cells } = coverageSchema.parse(await (await coverage(`${days}${times}`)).json());
      return cells.positions.reduce((sum, each) => sum + each, 0);
    };
    // It was counted at 12:00Z, which is night in Tokyo.
    expect(await positionsIn('&times=night')).toBe(0);
    expect(await positionsIn('&times=night&time_zone=Asia/Tokyo')).toBe(TRACKS * STEPS);
    expect(await refusalIn(await hours(`${days}&times=night&time_zone=Nowhere`))).toEqual([400, 'bad_query']);
  });

  test('writes both as CSV with the look of each cell and hour', async () => {
    const cells = await coverage(`${WINDOW}&layer=rid&format=csv`);
    expect(cells.headers.get('content-disposition')).toMatch(/lookout-coverage-rid-.*\.csv/);
    const looks = parse<Record<string, string>>(await cells.text(), { columns: true }).map(({ look }) => look);
    expect(new Set(looks)).toEqual(new Set(LOOKS.slice(0, 2)));
    const rows = parse<Record<string, string>>(await (await hours(`${WINDOW}&bbox=8,47,9,48&format=csv`)).text(), {
      columns: true,
    });
    expect(rows.map(({ layer, look }) => [layer, look])).toEqual([
      ['rid', 'received'],
      ['rid', 'not_watched'],
      ['adsb', 'not_watched'],
      ['adsb', 'not_watched'],
    ]);
    expect(Object.keys(rows[0] ?? {})).toEqual([...HOURS_CSV_COLUMNS]);
  });

  test.each([
    ['layer=rid&start=2026-11-21T12:00:00Z&end=2026-11-21T12:00:00Z', 'end must be after start'],
    ['layer=rid&start=2026-10-01T12:00:00Z&end=2026-11-21T12:00:00Z', 'at most 31 days'],
    [`${WINDOW}&layer=rid&band=0-1000`, 'band must be ids of height bands of the layer'],
    [`${WINDOW}&layer=rid&band=-30,-30`, 'each once'],
    [`${WINDOW}&layer=rid&bbox=8,47,9`, 'bbox must be four numbers'],
    [WINDOW, 'layer'],
  ])('refuses coverage of %s', async (query, message) => {
    const answer = await coverage(query);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(message)]);
  });

  test('needs sign-in, and a zone or a box', async () => {
    expect(await refusalIn(await coverage(`${WINDOW}&layer=rid`, ''))).toEqual([401, 'not_signed_in']);
    expect(await refusalIn(await hours(WINDOW))).toEqual([400, 'bad_query']);
  });
});
