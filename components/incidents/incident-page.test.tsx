import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { parseAddress } from '#lib/api/address-state.ts';
import type { Role } from '#lib/api/people/permission.ts';
import type { Incident, IncidentAnswer, IncidentEntry, OneIncident, TrackInside } from '#lib/api/watching/incidents.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { noteOf } from '#lib/client/incidents/incident.fixture.ts';
import { receptionAnswer } from '#lib/client/overview/overview.fixture.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { pageViewerOf } from '#testing/page-at-lookout.ts';
import { ACTIONS } from './incident-actions.tsx';
import { axisLanes } from './incident-axis.tsx';
import { IncidentPage } from './incident-page.tsx';

const at = (minute: number, second = 0) => new Date(Date.UTC(2026, 10, 27, 12, minute, second)).toISOString();
const ID = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a0';

const INCIDENT: Incident = {
  id: `${ID}1`,
  number: '2026-014',
  revision: 3,
  title: 'Drone near 14',
  state: 'open',
  from: at(0),
  to: at(30),
  zone: { id: `${ID}2`, name: 'Runway 14/32', revision: 2 },
  shape: { type: 'Circle', centre: [8.55, 47.45], radius_m: 2000 },
  layers: ['rid', 'adsb'],
  opened: { by: 'bea', at: at(4) },
  closed: null,
  sealed: null,
  kept: null,
  notes: 1,
};

function trackOf(number: number, changed: Partial<TrackInside> = {}): TrackInside {
  return {
    track: `rid-0-${String(number).padStart(5, '0')}`,
    first_at: at(5, number % 60),
    last_at: at(8),
    lowest_m: 60,
    lowest_field: 'height_agl_m',
    nearest_m: 320,
    positions: 40,
    simulated: false,
    test: false,
    ...changed,
  };
}

const ANSWER: IncidentAnswer = {
  as_of: at(31),
  layers: {
    rid: {
      verdict: 'received',
      tracks: [trackOf(1), trackOf(2, { simulated: true, lowest_m: null, lowest_field: null })],
      not_watched: [{ from: at(10), to: at(14), reason: 'receivers_partly' }],
    },
    adsb: {
      verdict: 'not_known',
      tracks: [],
      not_watched: [{ from: at(20), to: at(22), reason: 'receivers_lost' }],
    },
  },
};

const byOpening = (one: { opened_at: string }, next: { opened_at: string }) =>
  one.opened_at.localeCompare(next.opened_at);

const ONE: OneIncident = {
  incident: INCIDENT,
  notes: [noteOf(3)],
  alarms: [3, 9, 5].map((minute) => alarmOf(minute, { opened_at: at(minute) })).toSorted(byOpening),
  added: [],
  tracks: [{ track: 'rid-0-00001', remark: 'the one by the fence', by: 'bea', at: at(9) }],
  deliveries: [],
};

interface Setting {
  readonly one?: () => OneIncident;
  readonly answer?: (url: URL) => IncidentAnswer;
  /** Answers to what is sent, by the end of its path. */
  readonly takes?: Readonly<Record<string, (body: unknown) => Response>>;
}

function refusal(code: string, message: string): Response {
  return Response.json({ error: { code, message }, request_id: 'request-1' }, { status: 409 });
}

const COST = {
  as_of: at(31),
  start: at(0),
  end: at(30),
  middle: { expected: 12, known: true, max_requests: 40, boxes: [] },
  tiles: null,
  wide: false,
  has_allowance: true,
  left: 200,
};

async function shows({ answer = () => ANSWER, takes = {}, one = () => ONE }: Setting = {}) {
  onTestFinished(cleanup);
  globalThis.fetch = async (input, init) => {
    const url = new URL(String(input), window.location.href);
    const { pathname } = url;
    if (pathname.endsWith('/answer')) return Response.json(answer(url));
    if (init?.method === 'POST')
      return takes[pathname.split('/').at(-1) ?? '']?.(JSON.parse(String(init.body))) ?? Response.error();
    if (pathname === '/api/history/cost') return Response.json(COST);
    if (pathname === '/api/incidents') return Response.json({ incidents: [INCIDENT] });
    if (pathname === `/api/incidents/${INCIDENT.id}`) return Response.json(one());
    return new Promise(() => undefined);
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <IncidentPage viewer={pageViewerOf('bea', { role: 'operator' })} first={INCIDENT} />
    </QueryClientProvider>,
  );
  const screen = within(document.body);
  await screen.findByTestId('verdicts');
  const main = within(screen.getByRole('main'));
  return { screen, main, user: userEvent.setup({ pointerEventsCheck: 0 }) };
}

test('the answer has three values, with the times that were not watched in words', async () => {
  const { main, screen } = await shows();
  expect(main.getByText('Runway 14/32, revision 2: circle, radius 2.00 km around 47.45000, 8.55000')).toBeTruthy();
  const layer = (name: string) =>
    [...main.getByRole('region', { name }).querySelectorAll('p, li')].map(({ textContent }) => textContent);
  expect(layer('Drones')).toEqual([
    'Received: 1 track, 1 simulated track (SIM)',
    '12:10:00Z to 12:14:00Z. Partly watched: some receivers were down or heard little',
  ]);
  expect(layer('Aircraft')).toEqual(['Not known', '12:20:00Z to 12:22:00Z. Not watched: all receivers were down']);
  expect(screen.getByTestId('as-of').textContent).toContain('As of 2026-11-27 12:31:00Z.');
  const tracks = within(main.getByRole('list', { name: 'Tracks received inside' })).getAllByRole('listitem');
  expect(tracks.map(({ textContent }) => textContent)).toEqual([
    '12:05:01Z to 12:08:00Z Drone 00001: lowest 60 m, height above ground (estimated); nearest 320 m; 40 positions',
    '12:05:02Z to 12:08:00Z Drone 00002 SIM: lowest not reported; nearest 320 m; 40 positions',
  ]);
  expect(document.body.textContent).not.toMatch(/\bclear\b/);
});

test('nothing received while all was watched says so, and how much of what flies there is received', async () => {
  const watched = { verdict: 'none_while_watched', tracks: [], not_watched: [] } as const;
  const { main, screen } = await shows({
    answer: () => ({
      as_of: at(31),
      reception: receptionAnswer(),
      layers: { rid: { ...watched, tracks: [], not_watched: [] } },
    }),
  });
  const low =
    'Below 60 m above ground here, drones were received in 10% of the 10 h between first and last receptions.';
  expect(within(main.getByTestId('verdicts')).getByText(low)).toBeTruthy();
  expect(screen.getByTestId('incident-sheet').textContent).toContain(low);
  expect(screen.getByTestId('as-of').textContent).toContain('in cells of 3.5 km (drones), in the last 30 days');
  expect(within(main.getByTestId('verdicts')).getByText('None received while watched')).toBeTruthy();
});

test('Tab reaches each lane of the axis once, and arrow keys move along it; each item replays its moment', async () => {
  const { main, user } = await shows();
  const lane = (name: string) => within(main.getByRole('list', { name })).getAllByRole('link');
  expect(lane('Drones').map((link) => link.getAttribute('aria-label'))).toEqual([
    '12:00:00Z to 12:10:00Z Drones watched',
    '12:10:00Z to 12:14:00Z Drones. Partly watched: some receivers were down or heard little',
    '12:14:00Z to 12:30:00Z Drones watched',
  ]);
  const alarms = lane('Alarms');
  expect(alarms.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1]);
  alarms[0]?.focus();
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}{ArrowLeft}');
  expect(document.activeElement).toBe(alarms[1]);
  expect(alarms[1]?.getAttribute('aria-label')).toMatch(/^12:05:00Z Drone 00005 in Runway 14\/32, Open$/);
  expect(main.getByTestId('axis-item').textContent).toBe(alarms[1]?.getAttribute('aria-label'));
  await user.keyboard('{End}{Tab}');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('12:06:00Z Decision by bea: Runway closed');
  const { state, ignored } = parseAddress((alarms[1] as HTMLAnchorElement).getAttribute('href')?.slice(1) ?? '');
  expect(ignored).toEqual([]);
  expect(state.replay && formatInstant(state.replay.cursor)).toBe(at(5));
  expect(state.filter.inside).toMatchObject({ kind: 'circle', radiusM: 2000 });
  expect(state.selectedRefs).toEqual(['rid-0-0000000000000005']);
});

test('lifelines are bounded', () => {
  const tracks = Array.from({ length: 60 }, (_, index) => trackOf(index));
  const answer: IncidentAnswer = { ...ANSWER, layers: { rid: { verdict: 'received', tracks, not_watched: [] } } };
  const span = { startMs: Date.parse(at(0)), endMs: Date.parse(at(30)) };
  const lanes = axisLanes({ one: ONE, answer, ...span, units: 'metric', time: (text) => text });
  const lane = lanes.find(({ name }) => name === 'Tracks inside');
  expect([lane?.items.length, lane?.more]).toEqual([50, 10]);
});

test('each action is open to its roles and states', () => {
  const open = (role: Role, state: Incident['state']) =>
    ACTIONS.filter(({ isOpen }) => isOpen({ state }, pageViewerOf('eve', { role }))).map(({ name }) => name);
  expect(open('viewer', 'open')).toEqual([]);
  expect(open('operator', 'open')).toEqual(['note', 'sighting', 'change', 'close']);
  expect(open('operator', 'closed')).toEqual(['note', 'sighting', 'change', 'seal']);
  expect(open('operator', 'sealed')).toEqual([]);
  expect(open('admin', 'sealed')).toEqual(['delete']);
});

const AL = { by: 'al', at: at(32) };

test('a note that is being written stays when a colleague seals the incident', async () => {
  let incident = INCIDENT;
  const { main, user } = await shows({
    one: () => ({ ...ONE, incident }),
    takes: { notes: () => refusal('not_possible', 'It is sealed.') },
  });
  await user.click(main.getByRole('button', { name: 'Write a note' }));
  await user.type(main.getByLabelText('Note'), 'Police on site');
  incident = { ...INCIDENT, state: 'sealed', closed: AL, sealed: { ...AL, sha256: 'ab', bytes: 12 } };
  await user.click(main.getByRole('button', { name: 'Write note' }));
  await main.findByText('Sealed by al, 12:32:00Z.');
  expect((main.getByLabelText('Note') as HTMLTextAreaElement).value).toBe('Police on site');
  expect((main.getByRole('button', { name: 'Write note' }) as HTMLButtonElement).disabled).toBe(true);
});

test('closing after a colleague says who closed it, and the page shows the new state', async () => {
  let incident = INCIDENT;
  const { main, user } = await shows({
    one: () => ({ ...ONE, incident }),
    takes: { close: () => refusal('not_possible', 'It is closed already.') },
  });
  await user.click(main.getByRole('button', { name: 'Close' }));
  incident = { ...INCIDENT, state: 'closed', revision: 4, closed: AL, kept: { positions: 1899, bytes: 5 } };
  const close = within(main.getByRole('region', { name: 'Close' }));
  await eventually(() => expect(close.getByRole('button')).toHaveProperty('disabled', false));
  await user.click(close.getByRole('button', { name: 'Close 2026-014' }));
  await close.findByText('Closed by al, 12:32:00Z.');
  expect(close.getByRole('button')).toHaveProperty('disabled', true);
  expect(within(main.getByRole('region', { name: 'Facts' })).getByText('Closed')).toBeTruthy();
  expect(main.getByText(/^Kept when it closed: 1.899 positions, with 2 km and 3 min around$/)).toBeTruthy();
  expect(main.getByRole('button', { name: 'Seal' })).toBeTruthy();
});

test('a stored note has the focus and a word; a sighting is corrected by a note, too', async () => {
  const sighting = noteOf(4, { kind: 'sighting', text: 'two lights', at: at(7), place: [8.5, 47.4] });
  const notes = [noteOf(3), sighting];
  const sent: unknown[] = [];
  const { main, user } = await shows({
    one: () => ({ ...ONE, notes }),
    takes: {
      notes: (body) => {
        sent.push(body);
        const note = noteOf(5 + sent.length, body as Partial<IncidentEntry>);
        notes.push(note);
        return Response.json({ note }, { status: 201 });
      },
    },
  });
  await user.click(main.getByRole('button', { name: 'Write a note' }));
  expect(document.activeElement).toBe(main.getByLabelText('Note'));
  await user.keyboard('Police on site');
  await user.type(main.getByLabelText('Time, UTC'), '2026-11-27 12:08');
  await user.click(main.getByRole('button', { name: 'Write note' }));
  const entry = () => main.getByRole('list', { name: 'Notes, latest first' }).firstElementChild;
  await eventually(() => expect(entry()?.textContent).toMatch(/^Observation.*Stored.*Police on site/));
  expect(document.activeElement).toBe(entry());
  expect(main.getByText('Note stored.')).toBeTruthy();
  await user.click(main.getByRole('button', { name: 'Correct the sighting of 12:07:00Z' }));
  await user.type(main.getByLabelText('Note'), ', then three');
  await user.click(main.getByRole('button', { name: 'Write correction' }));
  await eventually(() => expect(entry()?.textContent).toMatch(/Stored.*two lights, then three/));
  expect(document.activeElement).toBe(entry());
  expect(sent).toEqual([
    { kind: 'observation', text: 'Police on site', at: at(8), place: null, corrects: null },
    { kind: 'observation', text: 'two lights, then three', at: at(7), place: [8.5, 47.4], corrects: sighting.id },
  ]);
});

test('a text that is too long is refused with a word, and never cut', async () => {
  const sent: unknown[] = [];
  const { main, user } = await shows({ takes: { notes: (body) => Response.json(sent.push(body)) } });
  await user.click(main.getByRole('button', { name: 'Write a note' }));
  const note = main.getByLabelText('Note') as HTMLTextAreaElement;
  await user.click(note);
  await user.paste('a'.repeat(5000));
  expect(note.value).toHaveLength(5000);
  expect(main.getByText(/^5.000 characters: at most 4.000\.$/)).toBeTruthy();
  await user.click(main.getByRole('button', { name: 'Write note' }));
  expect(sent).toEqual([]);
  await user.type(main.getByLabelText('Time, UTC'), '1:05 PM');
  await user.clear(note);
  await user.type(note, 'a');
  await user.click(main.getByRole('button', { name: 'Write note' }));
  await main.findByText('“1:05 PM” is no time: write it as 14:05, or 2026-11-27 14:05:30.');
  expect(main.queryByText(/at most/)).toBeNull();
  expect(sent).toEqual([]);
});

test('where history costs an allowance, the rest of the answer has its price before it is loaded', async () => {
  const missing = { from: at(12), to: at(15), reason: 'not_requested' } as const;
  const asked: (string | null)[] = [];
  const { main, user } = await shows({
    answer: ({ searchParams }) => {
      asked.push(searchParams.get('max_requests'));
      const adsb = { verdict: 'not_known', tracks: [], not_watched: [missing] } as const;
      return searchParams.get('max_requests') === '40'
        ? ANSWER
        : { ...ANSWER, layers: { adsb: { ...adsb, tracks: [], not_watched: [missing] } } };
    },
  });
  const rest = within(await main.findByRole('region', { name: 'Not read' }));
  expect(rest.getByTestId('price').textContent).toBe(
    'To read: ≈ 12 requests, max. 40. You have 200 requests left today.',
  );
  expect(asked).toEqual(['0']);
  await user.click(rest.getByRole('button', { name: 'Load the rest' }));
  await within(main.getByTestId('verdicts')).findByText('Received: 1 track, 1 simulated track (SIM)');
  expect(asked).toEqual(['0', '40']);
  expect(main.queryByRole('region', { name: 'Not read' })).toBeNull();
});

test('everything is on paper and in tables', async () => {
  const { screen } = await shows();
  const sheet = screen.getByTestId('incident-sheet').textContent;
  for (const text of ['2026-014 · Drone near 14', 'Runway closed', 'all receivers were down', 'the one by the fence'])
    expect(sheet).toContain(text);
  expect(screen.getByTestId('incident-tables').querySelectorAll('table')).toHaveLength(6);
});

test('closing names its price first, and is possible although incomplete only after the refusal that says so', async () => {
  const sent: unknown[] = [];
  const message = 'Not all of the past could be read: the load reached its limit of requests.';
  const { main, user } = await shows({
    takes: {
      close: (body) => {
        sent.push(body);
        return refusal('past_incomplete', message);
      },
    },
  });
  await user.click(main.getByRole('button', { name: 'Close' }));
  const close = within(main.getByRole('region', { name: 'Close' }));
  await eventually(() =>
    expect(close.getByTestId('price').textContent).toBe(
      'To read: ≈ 12 requests, max. 40. You have 200 requests left today.',
    ),
  );
  expect(close.queryByRole('checkbox')).toBeNull();
  await user.click(close.getByRole('button', { name: 'Close 2026-014' }));
  await close.findByText(message);
  await user.click(close.getByRole('checkbox', { name: /^Close although incomplete/ }));
  await user.click(close.getByRole('button', { name: 'Close 2026-014' }));
  await eventually(() =>
    expect(sent).toEqual([
      { revision: 3, max_requests: 40, incomplete: false },
      { revision: 3, max_requests: 40, incomplete: true },
    ]),
  );
});
