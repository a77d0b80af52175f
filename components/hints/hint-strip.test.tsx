import { act } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { localStore } from '#lib/client/browser/storage.ts';
import { preferencesKey } from '#lib/client/page/preferences.ts';
import { showPage } from '#testing/shown-page.tsx';

test('four hints at most go one by one, also by keyboard and after a reload, or all at once, and return from the help', async () => {
  const hint = () => document.querySelector('[aria-label="Hints for a first visit"]')?.textContent;
  const first = await showPage();
  await expect.poll(hint).toContain('Hint 1 of 4');
  first.screen.getByRole('button', { name: 'Next hint' }).focus();
  await first.user.keyboard('{Enter}');
  await expect.poll(hint).toContain('Hint 2 of 4');
  first.closes();

  const { screen, user } = await showPage();
  await expect.poll(hint).toContain('Hint 2 of 4');
  await user.click(screen.getByRole('button', { name: 'Dismiss all hints' }));
  expect(hint()).toBeUndefined();
  await user.keyboard('?');
  await user.click(await screen.findByRole('button', { name: 'Show the first hints again' }));
  await expect.poll(hint).toContain('Hint 1 of 4');
});

test('where the browser keeps nothing, the only hint says so, and it goes when it was read', async () => {
  const denied = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  });
  // The store has tried the storage of earlier pages, and keeps what was refused.
  const forgets = () => localStore.write(preferencesKey(undefined), undefined);
  forgets();
  onTestFinished(() => {
    denied.mockRestore();
    forgets();
  });
  const { screen, user, closes } = await showPage();
  const hint = await screen.findByRole('complementary', { name: 'Hints for a first visit' });
  expect(hint.textContent).toMatch(/^Nothing is remembered in this browser/);
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await expect.poll(() => screen.queryByRole('complementary', { name: 'Hints for a first visit' })).toBeNull();
  closes();
  // Before the page clears the storage.
  denied.mockRestore();
});

test('each hint ends by itself, and none comes back after a reload', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const hint = () => document.querySelector('[aria-label="Hints for a first visit"]')?.textContent;
  const first = await showPage();
  await expect.poll(hint).toContain('Hint 1 of 4');
  for (const next of ['Hint 2 of 4', 'Hint 3 of 4', 'Hint 4 of 4', undefined]) {
    await act(() => vi.advanceTimersByTimeAsync(16_000));
    if (next === undefined) expect(hint()).toBeUndefined();
    else expect(hint()).toContain(next);
  }
  first.closes();
  await showPage();
  expect(hint()).toBeUndefined();
});

test('a hint ends once what it says was done', async () => {
  const { user, lookout } = await showPage();
  const hint = () => document.querySelector('[aria-label="Hints for a first visit"]')?.textContent;
  await expect.poll(hint).toContain('Hint 1 of 4');
  act(() => lookout.preferences.change({ hintsSeen: ['marks', 'card'] }));
  await expect.poll(hint).toContain('R replays the last hour');
  await user.keyboard('r');
  await expect.poll(hint).toContain('Hint 4 of 4');
});
