import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanup, render, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServedReceivers, type ServedReceivers } from '#service/cli/open-served-receivers.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { startMovingAircraft } from '#service/receivers/moving-aircraft.fixture.ts';
import { statusSocketPath } from '#service/receivers/status-socket.ts';
import { ApiClient } from '#testing/api-client.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { pageAt, pageViewerOf } from '#testing/page-at-lookout.ts';
import { ReceiversPage } from './receivers-page.tsx';

const ROOF = '127.0.0.1';
const DOWN = '127.0.0.1-2';

let folder: string;
let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
let served: ServedReceivers;
let lookout: LookoutHere;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-receivers-'));
  receiver = await startMovingAircraft({ count: 5 });
  const urls = `${receiver.url},sbs://127.0.0.1:${await freePort()}`;
  const read = readServeOptions(['--receivers', urls, '--data', folder], {});
  if (!read.ok || !read.options.receivers) throw new Error(JSON.stringify(read));
  const kept = { path: folder, referenceSecret: randomBytes(32) };
  served = await openServedReceivers(read.options.receivers, kept, read.options, () => undefined);
  lookout = await startLookoutHere({
    operators: ['ada', 'vic'],
    roles: { ada: 'admin', vic: 'viewer' },
    service: { source: served.source },
    settings: { RECEIVERS_SOCKET: statusSocketPath(folder) },
  });
});
afterAll(async () => {
  await lookout.stop();
  await served.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

async function showsReceivers() {
  const { client, screen, user } = await pageAt(lookout, 'ada');
  render(<ReceiversPage viewer={pageViewerOf('ada', { hasReceivers: true })} />);
  const station = (name: string) => screen.getByRole('listitem', { name });
  const fact = (name: string, what: string) =>
    within(station(name)).getByText(what, { selector: 'dt' }).nextElementSibling?.textContent;
  const hours = (name: string) => within(screen.getByRole('listitem', { name: `Hours of ${name}` }));
  await screen.findByRole('listitem', { name: ROOF });
  return { client, screen, user, station, fact, hours };
}

test('Without sign-in, the page leads to the other pages of this machine; with it, to those of an admin', async () => {
  const links = async (operator: string | undefined) => {
    const { screen } = await pageAt(lookout, 'ada');
    render(<ReceiversPage viewer={pageViewerOf(operator, { hasReceivers: true })} />);
    const pages = within(screen.getByRole('navigation', { name: 'Pages' }));
    const texts = pages.getAllByRole('link').map(({ textContent }) => textContent);
    cleanup();
    return texts;
  };
  expect(await links(undefined)).toEqual(['Map', 'Overview', 'Incidents', 'Outputs', 'Receivers', 'Health']);
  expect(await links('ada')).toEqual([
    ...['Map', 'Overview', 'Incidents', 'Outputs', 'Receivers'],
    ...['People', 'Audit', 'Health', 'Your account'],
  ]);
  const vic = await ApiClient.signedIn(lookout, 'vic');
  expect(await vic.tries('GET', '/api/admin/receivers')).toBe('403 not_permitted');
});

test('One receives, and the other is down: each in words', async () => {
  const { client, station, fact } = await showsReceivers();
  await eventually(() => expect(station(ROOF).textContent).toContain('receiving'));
  await eventually(() => expect(fact(ROOF, 'Positions in the last minute')).toMatch(/^[1-9]\d*$/));
  await eventually(() => expect(fact(ROOF, 'Last heard')).toMatch(/^\d+ s ago$/));
  await eventually(() => expect(station(DOWN).textContent).toContain('nothing listens there'));
  expect(fact(DOWN, 'Positions in the last minute')).toBe('none yet');
  expect(fact(DOWN, 'Last heard')).toBe('not yet heard');
  expect(fact(DOWN, 'Clock error')).toBe('not known');
  expect((await client.ask('GET', '/api/admin/receivers')).text).not.toMatch(/"(lat|lon|view)"/);
});

test('Each has its hours, as a picture and a table', async () => {
  // The page reads hours once a minute.
  const admin = await ApiClient.signedIn(lookout, 'ada');
  await eventually(async () => {
    const { report } = (await admin.ask('GET', '/api/admin/receivers/hours?hours=24')).json();
    expect(report.stations[0].positions.at(-1)).toBeGreaterThan(0);
  });
  const { screen, user, hours } = await showsReceivers();
  await screen.findByRole('listitem', { name: `Hours of ${ROOF}` });
  hours(ROOF).getByRole('img', { name: /[12] hours? with positions, 0 hours/ });
  hours(DOWN).getByRole('img', { name: /: 0 hours with positions, 0 hours connected/ });
  await user.click(screen.getByRole('radio', { name: '30 days' }));
  await user.click(screen.getByRole('button', { name: 'Tables' }));
  // A head and 31 days; in the last hour of a day, 720 hours are 30.
  await eventually(() => expect(hours(ROOF).getAllByRole('row').length).toBeGreaterThan(30));
  expect(hours(ROOF).getAllByRole('row')[5]?.textContent).toContain('not recorded');
});

test('Once the service is gone, the page says that, and no longer claims the last status', async () => {
  const { screen, station, fact } = await showsReceivers();
  await eventually(() => expect(station(ROOF).textContent).toContain('receiving'));
  await served.close();
  await eventually(() => {
    const alert = screen.getAllByRole('alert').find(({ textContent }) => textContent.includes('does not run'));
    expect(alert?.textContent).toMatch(/Noticed at .*Z\.$/);
  });
  expect(station(ROOF).textContent).toContain('was receiving');
  expect(fact(ROOF, 'Last heard')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
  screen.getByText(/What follows was so at/);
});
