import { expect, test } from 'vitest';
import type { SavedView, ViewChange } from '#lib/api/saved-view.ts';
import { showPage } from '#testing/shown-page.tsx';

const ID = '00000000-0000-4000-8000-000000000000';
const GATE: SavedView = { id: ID, name: 'Gate N', query: '?view=46.9,8.2,9', shared: false, mine: true, owner: 'al' };

async function showViews(operator: string, view: SavedView) {
  let saved = view;
  const page = await showPage({
    operator: { id: operator, name: operator, role: 'operator' },
    answers: {
      'GET /api/views': () => Response.json({ views: [saved], start: null }),
      [`PATCH /api/views/${ID}`]: (body) => {
        saved = { ...saved, ...(body as ViewChange) } as SavedView;
        return Response.json(saved);
      },
    },
  });
  const { screen, user } = page;
  await user.click(screen.getByRole('tab', { name: 'View' }));
  const views = await screen.findByRole('region', { name: 'Saved views' });
  const opensMenu = async () => user.click(await screen.findByRole('button', { name: 'More for Gate N' }));
  const items = async () => (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
  return { ...page, views, opensMenu, items };
}

test('an operator shares a view of their own with everybody', async () => {
  const { screen, user, views, opensMenu, items } = await showViews('al', GATE);
  await opensMenu();
  expect(await items()).toEqual(['Start here', 'Share with everybody', 'Rename', 'Delete…']);
  expect(views.textContent).toContain('Yours alone');
  await user.click(screen.getByRole('menuitem', { name: 'Share with everybody' }));
  await expect.poll(() => views.textContent).toContain('Yours, shared with everybody');
});

test('another operator sees a shared view and whose it is, and can only start there', async () => {
  const { views, opensMenu, items } = await showViews('bea', { ...GATE, shared: true, mine: false });
  await opensMenu();
  expect(await items()).toEqual(['Start here']);
  expect(views.textContent).toContain('Shared by al');
});
