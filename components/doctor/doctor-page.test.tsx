import { render, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiClient } from '#testing/api-client.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { pageAt, pageViewerOf } from '#testing/page-at-lookout.ts';
import { DoctorPage } from './doctor-page.tsx';

let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({ operators: ['ada', 'vic'], roles: { ada: 'admin', vic: 'viewer' } });
});
afterAll(() => lookout.stop());

test('Corrections come first, and reading them sends nothing to the upstream', async () => {
  lookout.service.forgetRequests();
  const { screen, user } = await pageAt(lookout, 'ada');
  render(<DoctorPage viewer={pageViewerOf('ada')} />);
  const lines = async () => within(await screen.findByRole('list', { name: 'Checks' })).getAllByRole('listitem');
  const [first] = await lines();
  expect(first?.textContent).toMatch(/^BackupWrongNo backup is knownBack up every day/);
  expect(screen.getByRole('status').textContent).toMatch(/^1 thing to correct, \d not known\.$/);
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(screen.getByRole('listitem', { name: 'Upstream' }).textContent).toMatch(/^UpstreamNot known.* got no request/);
  expect(lookout.service.requests()).toEqual([]);
});

test('A viewer sees nothing of it', async () => {
  const vic = await ApiClient.signedIn(lookout, 'vic');
  expect(await vic.tries('GET', '/api/admin/doctor')).toBe('403 not_permitted');
});
