import { act, fireEvent } from '@testing-library/react';
import { expect, test } from 'vitest';
import { newDraft } from '#lib/client/zones/zone-draft.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

async function showKeys() {
  const page = await showPage();
  const { screen } = page;
  page.receives(recordsNow([{}, { longitude: 8.5 }]));
  return {
    ...page,
    help: () => screen.queryByRole('dialog', { name: 'Help' }),
    search: () => screen.queryByRole('searchbox', { name: 'Find a reference' }),
    find: () => screen.queryByRole('combobox'),
    grid: () => screen.queryByRole('grid'),
  };
}

test('? opens the help, which names the version, every key and the limits of coverage; Esc closes it', async () => {
  const { screen, user, help } = await showKeys();
  expect(screen.getByTestId('standing-notice').textContent).toContain('Coverage is not guaranteed');
  await user.keyboard('?');
  await expect.poll(() => help()?.textContent).toContain('Show or hide the panel');
  expect(help()?.textContent).toContain('Coverage is not guaranteed');
  expect(help()?.textContent).toContain(`Lookout ${LOOKOUT_VERSION}`);
  await user.keyboard('{Escape}');
  await expect.poll(help).toBeNull();
});

test('the help opens at the topic of the open tab, and its search leaves what it found', async () => {
  const { screen, user, help } = await showKeys();
  const seen: string[] = [];
  HTMLElement.prototype.scrollIntoView = function scrolled() {
    seen.push(this.id);
  };
  await user.keyboard('w?');
  await expect.poll(() => seen).toContain('help-alarms');
  const search = await screen.findByRole('searchbox', { name: 'Search the help' });
  await user.type(search, 'permit volume');
  await expect.poll(() => help()?.textContent).not.toContain('Show or hide the panel');
  expect(help()?.textContent).toContain('A permit for a volume covers every track in it.');
  await user.clear(search);
  await user.type(search, 'xyzzy');
  await expect.poll(() => help()?.textContent).toContain('Nothing in the help has “xyzzy”.');
});

test('L goes through the levels of labels', async () => {
  const { screen, user } = await showKeys();
  for (const level of ['reference', 'reference, altitude, speed', 'off', 'reference']) {
    expect(await screen.findByRole('button', { name: `Labels: ${level}` })).toBeTruthy();
    await user.keyboard('l');
  }
});

test('D, M and the drawing of a zone end each other: one tool takes the presses on the map', async () => {
  const { user, lookout } = await showKeys();
  const { drawing, measuring, zones } = lookout;
  const on = () => [
    drawing.get().tool,
    measuring.state.get().tool,
    zones.draft.get()?.isDrawing === true ? 'zone' : undefined,
  ];
  act(() => zones.startDraft({ ...newDraft(), isDrawing: true }));
  await user.keyboard('d');
  expect(on()).toEqual(['circle', undefined, undefined]);
  await user.keyboard('m');
  expect(on()).toEqual([undefined, 'measure', undefined]);
  act(() => zones.change((draft) => ({ ...draft, isDrawing: true })));
  expect(on()).toEqual([undefined, undefined, 'zone']);
});

test('V hides and shows the panel; the state of the layers stays', async () => {
  const { screen, user, search } = await showKeys();
  expect(search()).not.toBeNull();
  await user.keyboard('v');
  expect(search()).toBeNull();
  expect(screen.getByTestId('layer-state-adsb').textContent).toContain('up to date');
  await user.keyboard('v');
  expect(search()).not.toBeNull();
});

test('on a Cyrillic layout the keys work by their position', async () => {
  const { user, search, find } = await showKeys();
  fireEvent.keyDown(document.body, { key: 'м', code: 'KeyV' });
  expect(search()).toBeNull();
  fireEvent.keyDown(document.body, { key: 'м', code: 'KeyV' });
  expect(search()).not.toBeNull();
  fireEvent.keyDown(document.body, { key: 'л', code: 'KeyK', ctrlKey: true });
  await expect.poll(find).not.toBeNull();
  await user.keyboard('{Escape}');
  await expect.poll(find).toBeNull();
});

test('J and the skip link, which comes first, lead to the table, whatever is open', async () => {
  const { screen, user, grid } = await showKeys();
  await user.keyboard('v');
  expect(grid()).toBeNull();
  await user.keyboard('j');
  await expect.poll(() => grid() !== null && document.activeElement === grid()).toBe(true);
  await user.click(screen.getByRole('tab', { name: 'View' }));
  const skipLink = screen.getByRole('button', { name: 'Skip to the table of tracks' });
  expect(document.body.querySelector('button')).toBe(skipLink);
  skipLink.focus();
  await user.keyboard('{Enter}');
  await expect.poll(() => grid() !== null && document.activeElement === grid()).toBe(true);
});

test('a track is selected with the keyboard alone', async () => {
  const { screen, user, grid } = await showKeys();
  await expect.poll(() => document.querySelectorAll('tr[data-ref]').length).toBe(2);
  grid()?.focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{Enter}');
  expect(await screen.findByTestId('track-card')).toBeTruthy();
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByTestId('track-card')).toBeNull();
});

test('letters typed into a text field are text, not shortcuts; / opens the search', async () => {
  const { screen, user, search, find } = await showKeys();
  await user.type(search() as HTMLElement, 'vl');
  expect(search()).toHaveProperty('value', 'vl');
  expect(screen.getByRole('button', { name: 'Labels: reference' })).toBeTruthy();
  for (const value of ['', '']) {
    await user.keyboard('{Escape}');
    expect(search()).toHaveProperty('value', value);
  }
  expect(document.activeElement).not.toBe(search());
  await user.keyboard('/');
  await expect.poll(find).not.toBeNull();
  await user.keyboard('vl/');
  expect(find()).toHaveProperty('value', 'vl/');
  await user.keyboard('{Escape}');
  await expect.poll(find).toBeNull();
});
