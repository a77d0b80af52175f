import { expect, test } from 'vitest';
import { coverageAnswer } from '#lib/client/overview/overview.fixture.ts';
import { showPage } from '#testing/shown-page.tsx';

test('Coverage on the map is off at first, has its legend, and leads to the view’s hours', async () => {
  const { screen, user, requests, lookout } = await showPage({
    answers: {
      'GET /api/overlays': () => Response.json({ overlays: [] }),
      'GET /api/overview/coverage': () => Response.json(coverageAnswer()),
    },
  });
  await user.click(screen.getByRole('tab', { name: 'View' }));
  const link = await screen.findByRole('link', { name: 'Overview, hour by day' });
  expect(link.getAttribute('href')).toBe('/overview?bbox=7%2C46%2C10%2C48');
  expect(requests).not.toContain('GET /api/overview/coverage');
  await user.click(screen.getByRole('switch', { name: 'Coverage on the map' }));
  await screen.findByText('Watched, nothing received · 2 cells');
  await user.selectOptions(screen.getByLabelText('Shown'), 'simulated');
  await screen.findByText(/^Simulated positions received per watched hour/);
  expect(lookout.coverage.get()?.counted).toBe('simulated');
  await user.click(screen.getByRole('switch', { name: 'Coverage on the map' }));
  expect(lookout.coverage.get()).toBe(undefined);
});
