import { expect, test, vi } from 'vitest';
import { localStore } from '#lib/client/browser/storage.ts';
import { preferencesKey } from '#lib/client/page/preferences.ts';
import { showPage } from '#testing/shown-page.tsx';

test('where the browser keeps nothing, the only hint says so, and it goes when it was read', async () => {
  const denied = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  });
  // The store has tried the storage of earlier pages, and keeps what was refused.
  const forgets = () => localStore.write(preferencesKey(undefined), undefined);
  forgets();
  const { screen, user, closes } = await showPage();
  const hint = await screen.findByRole('complementary', { name: 'Hints for a first visit' });
  expect(hint.textContent).toMatch(/^Nothing is remembered in this browser/);
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await expect.poll(() => screen.queryByRole('complementary', { name: 'Hints for a first visit' })).toBeNull();
  closes();
  denied.mockRestore();
  forgets();
});
