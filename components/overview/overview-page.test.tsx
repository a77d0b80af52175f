import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { ZURICH } from '#lib/api/found-place.fixture.ts';
import { coverageAnswer, hoursAnswer } from '#lib/client/overview/overview.fixture.ts';
import { OverviewPage } from './overview-page.tsx';

const ZONE = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Runway 14/32' };

const NEAR = { results: [ZURICH], more: false, searched: { places: 0, airports: 1 } };

interface Answers {
  readonly coverage?: () => Response;
  readonly hours?: () => Response;
}

async function showOverview(
  address = '/overview',
  { coverage = () => Response.json(coverageAnswer()), hours = () => Response.json(hoursAnswer()) }: Answers = {},
) {
  onTestFinished(() => {
    cleanup();
    window.history.replaceState(null, '', '/');
  });
  window.history.replaceState(null, '', address);
  const asked: { readonly path: string; readonly query: URLSearchParams }[] = [];
  globalThis.fetch = async (input) => {
    const { pathname, searchParams } = new URL(String(input), window.location.href);
    asked.push({ path: pathname, query: searchParams });
    if (pathname === '/api/overview/coverage') return coverage();
    if (pathname === '/api/places') return Response.json(NEAR);
    return pathname === '/api/overview/hours' ? hours() : Response.json({ zones: [] });
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <OverviewPage
        zone="utc"
        units="metric"
        theme="dark"
        drawMap={({ answer, counted, onCell }) => (
          <button type="button" onClick={() => onCell(0)}>
            {answer?.cells.column.length} cells of {counted}
          </button>
        )}
      />
    </QueryClientProvider>,
  );
  const screen = within(document.body);
  return {
    screen,
    user: userEvent.setup({ pointerEventsCheck: 0 }),
    coverage: within(await screen.findByRole('region', { name: /^Coverage,/ })),
    hours: within(await screen.findByRole('region', { name: /^Hour by day,/ })),
    lastOf: (path: string) => asked.findLast((each) => each.path === path)?.query,
  };
}

const looks = () => [...document.querySelectorAll<HTMLElement>('[data-look]')];

test('each hour has one of three looks, and its figures in words', async () => {
  const { hours } = await showOverview();
  await hours.findByRole('table');
  expect(looks().map(({ dataset }) => dataset.look)).toEqual([
    'received',
    'nothing_received',
    'not_watched',
    'nothing_received',
  ]);
  expect(looks().map(({ lastElementChild }) => lastElementChild?.textContent)).toEqual([
    'Fri 2026-11-27 10:00Z: 120 positions of 6 references, watched 100%',
    'Fri 2026-11-27 11:00Z: nothing received, watched 50%, partly 10%',
    'Fri 2026-11-27 12:00Z: not watched',
    'Fri 2026-11-27 13:00Z: nothing received, watched 42%, so far',
  ]);
});

test('measured reception is a share in larger cells, with the time it is of, and never 0% where nothing was received', async () => {
  const { screen, user, lastOf, coverage } = await showOverview('/overview?counted=reception');
  await coverage.findByText(/^Time in which tracks were received, between their first and last reception/);
  expect(lastOf('/api/overview/coverage')?.get('cells')).toBe('measured');
  await expect
    .poll(() => screen.getByTestId('overview-answer').textContent)
    .toMatch(/not watched\. Received in 25% of the 2 h between first and last receptions\.$/);
  await user.click(coverage.getByRole('button', { name: '3 cells of reception' }));
  expect(screen.getByTestId('pointed-cell').textContent).toMatch(
    /: received in 25% of the 2 h between first and last receptions, watched 3 h$/,
  );
  coverage.getByText('25% to 50%');
  coverage.getByText('Watched, nothing received: not known · 2 cells');
  await user.click(coverage.getByText('The same as a table'));
  const rows = coverage.getAllByRole('row').map(({ textContent }) => textContent);
  expect(rows[1]).toContain('Received25%2 h');
  expect(rows[2]).toContain('Watched, nothing received––');
  await user.selectOptions(screen.getByLabelText('Shown'), 'references');
  await expect.poll(() => lastOf('/api/overview/coverage')?.get('cells')).toBe(null);
});

test('one sentence above the map answers the choices, also for heights that are added up and for nights', async () => {
  const { screen, user, lastOf, coverage } = await showOverview('/overview?layer=rid');
  const answer = () => screen.getByTestId('overview-answer').textContent;
  await coverage.findByText(/^References received per watched hour/);
  await expect
    .poll(answer)
    .toBe(
      'Drones around LSZH, the last 24 h: received in 1 of 3 watched hours. Only partly watched for 6 min. 1 of 4 hours were not watched.',
    );
  await user.selectOptions(screen.getByLabelText('Height above ground (estimated)'), 'Below 120 m');
  expect(lastOf('/api/overview/coverage')?.get('band')).toBe('-30,30-60,60-120');
  await expect.poll(() => lastOf('/api/overview/hours')?.get('band')).toBe('-30,30-60,60-120');
  await expect.poll(answer).toMatch(/^Drones below 120 m above ground around LSZH, the last 24 h: /);
  await user.click(screen.getByRole('radio', { name: 'Night 20–06' }));
  await expect.poll(answer).toMatch(/^Drones below 120 m above ground around LSZH, last night 20–06: /);
  const [start, end] = ['start', 'end'].map((name) => lastOf('/api/overview/hours')?.get(name) ?? '');
  expect([start?.slice(11, 13), Date.parse(end ?? '') - Date.parse(start ?? '') <= 10 * 3_600_000]).toEqual([
    '20',
    true,
  ]);
  expect(lastOf('/api/overview/hours')?.get('times')).toBe('night');
  expect(window.location.search).toBe('?times=night&band=-30%2C30-60%2C60-120');
  await user.click(screen.getByRole('radio', { name: '7 d' }));
  await expect.poll(answer).toMatch(/, the last 7 nights 20–06: /);
  expect(lastOf('/api/overview/coverage')?.get('times')).toBe('night');
});

test('arrow keys read an hour', async () => {
  const { hours, user } = await showOverview();
  (await hours.findByRole('region', { name: /arrow keys read an hour/ })).focus();
  await user.keyboard('{ArrowRight}{ArrowLeft}{ArrowLeft}');
  expect(hours.getByTestId('pointed-hour').textContent).toBe(
    'Fri 2026-11-27 11:00Z: nothing received, watched 50%, partly 10%',
  );
});

test('the legend has numbers and looks in words, and what is apart is not added', async () => {
  const { coverage } = await showOverview();
  await coverage.findByText(/^References received per watched hour, in cells of 0.25° \(28 km/);
  coverage.getByText('above 0');
  coverage.getByText('Watched, nothing received · 2 cells');
  coverage.getByText('Not watched: no colour');
  coverage.getByText('Not counted here: 30 simulated positions.');
  expect(coverage.queryByRole('button', { name: /Show simulated/ })).toBeNull();
});

test('where only simulated traffic was received, it says so, and shows it at one click, labelled', async () => {
  const onlySimulated = coverageAnswer({ positions: [0, 0, 0], reference_hours: [0, 0, 0] });
  const { coverage, user } = await showOverview('/overview', { coverage: () => Response.json(onlySimulated) });
  await coverage.findByText('Only simulated traffic was received.');
  await user.click(coverage.getByRole('button', { name: /Show simulated positions/ }));
  await coverage.findByText('3 cells of simulated');
  coverage.getByText(/Simulated positions only: no real traffic/);
  coverage.getByText('SIM');
  expect(window.location.search).toBe('?counted=simulated');
});

test('a cell and the table have the same figures', async () => {
  const { coverage, user } = await showOverview();
  await user.click(await coverage.findByRole('button', { name: '3 cells of references' }));
  expect(coverage.getByTestId('pointed-cell').textContent).toBe(
    'Cell from 47.000, 8.000: references 6, 2 per watched hour, watched 3 h',
  );
  const [, first, second] = coverage.getAllByRole('row');
  expect(
    within(first!)
      .getAllByRole('cell')
      .map(({ textContent }) => textContent),
  ).toEqual([...['Received', '2', '6', '3 h', '–']]);
  expect(second?.textContent).toContain('Watched, nothing received');
});

test('the files are of the numbers that are shown', async () => {
  const { coverage, hours } = await showOverview('/overview?layer=rid');
  const span = 'start=2026-11-27T10%3A00%3A00.000Z&end=2026-11-27T14%3A00%3A00.000Z';
  const link = await coverage.findByRole('link', { name: 'Coverage as CSV' });
  expect(link.getAttribute('href')).toBe(
    `/api/overview/coverage?${span}&layer=rid&bbox=8%2C47%2C8.75%2C47.25&format=csv`,
  );
  expect(link.hasAttribute('download')).toBe(true);
  expect((await hours.findByRole('link', { name: 'Hours as CSV' })).getAttribute('href')).toBe(
    `/api/overview/hours?${span}&layer=rid&bbox=8%2C47%2C8.75%2C47.25&format=csv`,
  );
});

test('the view of the map and a zone are places of both pictures', async () => {
  const view = await showOverview('/overview?hours=720&bbox=8,47,9,48');
  await view.hours.findByRole('table');
  expect(view.lastOf('/api/overview/coverage')?.get('bbox')).toBe('8,47,9,48');
  expect(view.lastOf('/api/overview/hours')?.get('bbox')).toBe('8,47,9,48');
  view.screen.getByRole('heading', { name: 'Hour by day, the view on the map, the last 30 days' });
  await view.user.selectOptions(view.screen.getByLabelText('Place'), 'everything');
  expect(window.location.search).toBe('?hours=720');
  await expect.poll(() => view.lastOf('/api/overview/coverage')?.get('bbox')).toBe(null);
  await expect.poll(() => view.lastOf('/api/overview/hours')?.get('bbox')).toBe('8,47,8.75,47.25');
  cleanup();

  const zoned = await showOverview(`/overview?zone=${ZONE.id}`);
  await zoned.coverage.findByText(/^References received per watched hour, in cells of 0.25° \(28 km/);
  expect(zoned.lastOf('/api/overview/hours')?.get('zone')).toBe(ZONE.id);
  expect(zoned.lastOf('/api/overview/coverage')?.get('bbox')).toBe('8,47,8.75,47.25');
});

test('failed, nothing watched and nothing received are different texts', async () => {
  const failed = await showOverview('/overview', { coverage: () => new Response('', { status: 502 }) });
  expect((await failed.coverage.findByRole('alert')).textContent).toMatch(/^The coverage could not be read/);
  cleanup();
  const nothing = { ...coverageAnswer(), bbox: null, kept_since: null, counted_until: null };
  const none = await showOverview('/overview', {
    coverage: () => Response.json({ ...nothing, cells: coverageAnswer(EMPTY).cells }),
  });
  await none.coverage.findByText('Nothing was counted yet.');
  none.hours.getByText('Nothing was watched, and nothing received, in this span.');
  expect(none.screen.getByTestId('overview-answer').textContent).toBe('Drones anywhere, the last 24 h: not watched.');
});

const EMPTY = {
  column: [],
  row: [],
  positions: [],
  reference_hours: [],
  watched_s: [],
  partly_s: [],
  simulated: [],
  test: [],
  inconsistent: [],
};
