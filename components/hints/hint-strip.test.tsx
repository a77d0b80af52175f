import { expect, test, vi } from 'vitest';
import { showPage } from '#testing/shown-page.tsx';

test('where the browser keeps nothing, the only hint says so, and it goes when it was read', async () => {
  const denied = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  });
  const { screen, user, closes } = await showPage();
  const hint = await screen.findByRole('complementary', { name: 'Hints for a first visit' });
  expect(hint.textContent).toMatch(/^Nothing is remembered in this browser/);
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await expect.poll(() => screen.queryByRole('complementary', { name: 'Hints for a first visit' })).toBeNull();
  closes();
  denied.mockRestore();
});
