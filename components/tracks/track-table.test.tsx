import { expect, test } from 'vitest';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const BALLOONS = [
  { longitude: 8.2, altitude_m: 500, speed_mps: 5 },
  { longitude: 8.5, altitude_m: 500, speed_mps: 50 },
  { longitude: 8.6, altitude_m: 2000, speed_mps: 20 },
  { longitude: 8.1 },
];

const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];

async function showTable() {
  const page = await showPage({ address: window.location.search });
  const { screen, user } = page;
  page.receives(recordsNow(BALLOONS));
  await expect.poll(() => all('tr[data-ref]').length).toBeGreaterThan(0);
  const headers = () => all('thead tr:first-child button > span:first-child').map(({ textContent }) => textContent);
  return {
    ...page,
    rows: () => all('tr[data-ref]'),
    headings: () => all('tr[data-group]').map(({ textContent }) => textContent),
    headers,
    column: (name: string) => {
      const cell = headers().indexOf(name) + 1;
      return all(`tr[data-ref] > td:nth-child(${cell})`).map(({ textContent }) => textContent);
    },
    header: (name: RegExp) => screen.getByRole('button', { name }),
    clicks: (name: string) => user.click(screen.getByRole('button', { name })),
    options: () => user.click(screen.getByRole('button', { name: 'Columns, sorting and rows' })),
    box: (name: string) => screen.findByRole('checkbox', { name }),
    filters: async (name: RegExp, text: string) => {
      const field = await screen.findByRole('textbox', { name });
      await user.type(field, `${text}{Enter}`, { initialSelectionStart: 0, initialSelectionEnd: 99 });
    },
    active: () => {
      const id = screen.getByRole('grid').getAttribute('aria-activedescendant');
      const row = id === null ? null : document.getElementById(id);
      return row && ('group' in row.dataset ? 'heading' : 'track');
    },
  };
}

test('columns are chosen, and moved by keyboard; distances say from where they are', async () => {
  const { screen, user, headers, options, box } = await showTable();
  await options();
  expect(await box('Track reference')).toHaveProperty('disabled', true);
  expect(screen.queryByText(/^Distance and bearing from/)).toBeNull();
  await user.click(await box('Distance in km from the middle of the map'));
  await user.click(await box('Heading in degrees from north'));
  expect(headers()).toEqual(['↕', 'Reference', 'Alt m', 'AGL m', 'm/s', 'Age', 'Dist km']);
  expect(screen.getByText('Distance and bearing from the middle of the map')).toBeTruthy();

  const earlier = screen.getByRole('button', { name: /^Earlier: Distance/ });
  earlier.focus();
  for (let press = 0; press < 6; press++) {
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(earlier);
  }
  expect(headers().slice(0, 3)).toEqual(['↕', 'Dist km', 'Reference']);
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('checkbox', { name: 'Confidence label' })).toBeNull();
});

test('a click sorts the largest first, Shift and Enter sort by a second column; unknown values stay last', async () => {
  const { screen, user, column, header } = await showTable();
  await user.click(header(/^Altitude/));
  expect(column('Alt m')).toEqual(['2000', '500', '500', '—']);
  header(/^Ground speed/).focus();
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  expect(column('m/s')).toEqual(['20', '50', '5', '—']);
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  expect(column('m/s')).toEqual(['20', '5', '50', '—']);
  expect(header(/^Ground speed.*second, ascending/)).toBeTruthy();
  expect(document.querySelector('[aria-sort="descending"]')?.textContent).toContain('Altitude');
  expect(screen.getAllByTestId('sort-place').map(({ textContent }) => textContent)).toEqual(['1', '2']);
});

test('a filter below a header is the page’s own; others narrow the table alone, and say so', async () => {
  const { screen, user, rows, clicks, filters, parameter, lookout } = await showTable();
  await user.click(screen.getByRole('button', { name: 'Columns, sorting and rows' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Distance in km from the middle of the map' }));
  await user.keyboard('{Escape}');
  await clicks('Filter row');

  await filters(/^Altitude in m/, '..1000');
  await expect.poll(() => rows().length).toBe(3);
  expect(lookout.display.picture().count).toBe(3);
  expect(parameter('alt')).toBe('_1000m');
  expect(screen.getByTestId('filter-note').textContent).toBe('1 with unknown altitude is shown');

  await filters(/^Distance in km/, '..20');
  await expect.poll(() => rows().length).toBe(2);
  expect(screen.getByTestId('table-only').textContent).toContain('Table only: 2 of 3 rows · distance ..20');
  expect(lookout.display.picture().count).toBe(3);

  await filters(/^Ground speed/, 'fast');
  expect((await screen.findByText(/two dots/)).textContent).toMatch(/^Ground speed/);
  expect(rows()).toHaveLength(2);
});

test('groups have headings that keys reach, and rows are as dense as chosen', async () => {
  const { screen, user, rows, headings, options, active } = await showTable();
  await options();
  await user.click(await screen.findByRole('switch', { name: 'Group by kind' }));
  await user.click(screen.getByRole('radio', { name: 'Compact' }));
  await user.keyboard('{Escape}');
  await expect.poll(headings).toEqual(['Aircraft: 4']);
  expect(rows()[0]?.style.height).toBe('24px');
  screen.getByRole('grid').focus();
  await user.keyboard('{Home}');
  expect(active()).toBe('heading');
  await user.keyboard('{ArrowDown}');
  expect(active()).toBe('track');
});

test('a reload brings columns, order, filters, groups and the narrowed table back', async () => {
  const before = await showTable();
  await before.user.click(before.header(/^Altitude/));
  await before.user.keyboard('{Shift>}');
  await before.user.click(before.header(/^Ground speed/));
  await before.user.keyboard('{/Shift}');
  await before.options();
  await before.user.click(await before.box('Distance in km from the middle of the map'));
  await before.user.click(before.screen.getByRole('switch', { name: 'Group by kind' }));
  await before.user.keyboard('{Escape}');
  await before.clicks('Filter row');
  await before.filters(/^Altitude in m/, '..1000');
  await before.filters(/^Distance in km/, '..20');
  await before.user.type(before.screen.getByRole('searchbox', { name: 'Find a reference' }), '-');
  await before.clicks('In view');
  before.closes();

  const { screen, rows, headers, headings, clicks } = await showTable();
  const note = () => screen.getByTestId('table-only').textContent;
  await expect.poll(note).toContain('Table only: 2 of 3 rows · “-” · distance ..20');
  expect(headers()).toContain('Dist km');
  expect(screen.getAllByTestId('sort-place').map(({ textContent }) => textContent)).toEqual(['1', '2']);
  expect(headings()).toEqual(['Aircraft: 2']);
  expect(screen.getByRole('searchbox', { name: 'Find a reference' })).toHaveProperty('value', '-');
  expect(screen.getByRole('button', { name: 'In view' }).getAttribute('aria-pressed')).toBe('false');
  expect(screen.getByTestId('table-everywhere').textContent).toBe('All tracks received, also outside the view.');
  await clicks('Show all');
  await expect.poll(() => rows().length).toBe(3);
});

test('says how many rows there are, and renders those that are seen', async () => {
  const { screen, rows, receives } = await showTable();
  receives(recordsNow(Array.from({ length: 500 }, () => ({}))));
  const ofHead = 1;
  await expect.poll(() => screen.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(500 + ofHead));
  expect(rows().length).toBeLessThan(100);
});

test('a chosen row whose track has just left the view opens its card', async () => {
  const { lookout, rows, screen } = await showTable();
  lookout.feed.store.prune(Date.now(), []);
  lookout.feed.age();
  rows()[0]?.click();
  const card = await screen.findByTestId('track-card');
  expect(card.textContent).toMatch(/No longer received.*500 m/s);
});
