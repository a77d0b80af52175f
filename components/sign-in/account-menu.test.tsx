import { expect, test } from 'vitest';
import { showPage } from '#testing/shown-page.tsx';

const ITEMS = [
  'Overview',
  'Incidents',
  'Outputs',
  'Receivers',
  'People',
  'Audit',
  'Health',
  'Your account',
  'Sign out',
];

async function showsMenu(role: 'viewer' | 'admin', hasReceivers: boolean) {
  const { screen, user, closes } = await showPage({ operator: { id: 'ada', name: 'ada', role }, hasReceivers });
  await user.click(await screen.findByRole('button', { name: 'Account of ada' }));
  const items = await screen.findAllByRole('menuitem');
  return { screen, user, closes, items: items.map(({ textContent }) => textContent) };
}

test('the menu of an admin leads to every page', async () => {
  const { screen, items } = await showsMenu('admin', true);
  expect(items).toEqual(ITEMS);
  const paths = screen.getAllByRole('menuitem').map((item) => item.getAttribute('href'));
  expect(paths).toEqual([
    '/overview',
    '/incidents',
    '/admin/outputs',
    '/admin/receivers',
    '/admin',
    '/admin/audit',
    '/admin/doctor',
    '/account',
    // Signing out is no link.
    null,
  ]);
});

test('without receivers of its own, and to a viewer, it leads to fewer', async () => {
  const { items, closes } = await showsMenu('admin', false);
  expect(items).toEqual(ITEMS.filter((item) => item !== 'Receivers'));
  closes();
  expect((await showsMenu('viewer', true)).items).toEqual(['Overview', 'Incidents', 'Your account', 'Sign out']);
});

test('without sign-in, the receivers are found in the View tab', async () => {
  const { screen, user } = await showPage({ hasReceivers: true });
  await user.click(screen.getByRole('tab', { name: 'View' }));
  const link = await screen.findByRole('link', { name: 'Receivers' });
  expect(link.getAttribute('href')).toBe('/admin/receivers');
});
