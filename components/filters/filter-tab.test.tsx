import { fireEvent } from '@testing-library/react';
import { expect, test } from 'vitest';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const BALLOONS = [
  { longitude: 8.2, altitude_m: 500, speed_mps: 5 },
  { longitude: 8.4, altitude_m: 2000, speed_mps: 50 },
  { longitude: 8.6 },
];

async function showFilter(address = '') {
  const page = await showPage({ address });
  const { screen, user, lookout } = page;
  page.receives(recordsNow(BALLOONS));
  await user.click(screen.getByRole('tab', { name: 'Filter' }));
  const choice = (group: string, name: string) => {
    const choices = [...screen.getByRole('radiogroup', { name: group }).querySelectorAll('button')];
    return choices.find(({ textContent }) => textContent === name) as HTMLButtonElement;
  };
  return {
    ...page,
    line: () => screen.getByTestId('filter-line').textContent,
    note: () => screen.getByTestId('filter-note').textContent,
    chooses: (group: string, name: string) => user.click(choice(group, name)),
    choice,
    types: async (label: string, text: string) => {
      await user.type(screen.getByRole('textbox', { name: label }), text);
      await user.tab();
    },
    shows: async (shown: number) => {
      const counted = screen.getByTestId('filter-count').dataset;
      await expect.poll(() => counted.shown).toBe(String(shown));
      expect(counted.received).toBe('3');
      expect(lookout.display.picture().count).toBe(shown);
    },
  };
}

test('a filter of a link narrows map, table and counts; a track of unknown altitude is shown, and counted as unknown', async () => {
  const { screen, user, shows, note } = await showFilter('?alt=0..1000');
  await shows(2);
  expect((await screen.findByTestId('count-adsb')).textContent).toBe('2 of 3');
  expect(note()).toBe('1 with unknown altitude is shown');
  await user.click(screen.getByRole('tab', { name: 'Tracks' }));
  await expect.poll(() => document.querySelectorAll('tr[data-ref]').length).toBe(2);
});

test('tracks without the filtered value can be hidden, and are still counted; each criterion can be removed', async () => {
  const { screen, user, shows, chooses, note, parameter } = await showFilter('?alt=0..1000');
  await chooses('Tracks without the filtered value', 'Hide');
  await shows(1);
  expect(note()).toBe('1 with unknown altitude is hidden');
  expect(parameter('unknown')).toBe('hide');
  await user.click(screen.getByRole('button', { name: 'Remove from the filter: Altitude 0–1000 m' }));
  await shows(3);
  expect(parameter('alt')).toBeNull();
});

test('an arrow key chooses, even one that is released before the page has handled it', async () => {
  const { choice, chooses, parameter } = await showFilter();
  const first = choice('Kind', 'All');
  first.focus();
  fireEvent.keyDown(first, { key: 'ArrowRight' });
  fireEvent.keyUp(first, { key: 'ArrowRight' });
  await expect.poll(() => parameter('kind')).toBe('aircraft');
  await chooses('Kind', 'All');
  expect(parameter('kind')).toBeNull();
});

test('values are typed in the units on display, and stand in the link in metres per second', async () => {
  const { screen, user, shows, types, line, parameter } = await showFilter();
  await user.keyboard('u');
  await types('Ground speed, from, kt', '20');
  await shows(2);
  expect(line()).toContain('Speed from 20 kt');
  expect(parameter('speed')).toBe('10.289_mps');

  await types('Ground speed, below, kt', '10');
  expect((await screen.findByText(/must be greater/)).getAttribute('role')).toBe('alert');
  await shows(2);
  await user.click(screen.getAllByRole('button', { name: 'Clear the filter' })[0] as HTMLElement);
  await shows(3);
});

test('tracks are counted once a layer is known: before, 0 would read as an empty sky', async () => {
  const { screen, receives } = await showPage();
  const count = await screen.findByTestId('filter-count');
  expect(count.textContent).toBe('');
  receives(recordsNow([]));
  await expect.poll(() => count.textContent).toBe('0 tracks');
});
