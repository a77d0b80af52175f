import { createECDH, randomBytes } from 'node:crypto';
import { cleanup, render, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { PushAffairs } from '#lib/api/people/push.ts';
import { ApiClient } from '#testing/api-client.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { pageAt, pageViewerOf } from '#testing/page-at-lookout.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { AccountPage } from './account-page.tsx';
import { PeoplePage } from './people-page.tsx';
import { PushCard } from './push-card.tsx';

let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({ operators: ['ada', 'ben', 'cleo'], roles: { ada: 'admin' } });
});
afterAll(() => lookout.stop());

async function shows(operator: string, page: React.ReactElement) {
  const shown = await pageAt(lookout, operator);
  render(page);
  const region = (name: string) => shown.screen.findByRole('region', { name });
  return { ...shown, region };
}

function Page({ push }: { readonly push: PushAffairs }) {
  return (
    <PageFrame viewer={pageViewerOf('ben', { role: 'operator' })} title="Your account" path="/account">
      {(zone) => <PushCard push={push} zone={zone} />}
    </PageFrame>
  );
}

const keyOf = () => {
  const browser = createECDH('prime256v1');
  return { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
};

test('a browser is listed, changed and turned off, and an admin sees it', async () => {
  const cleo = await ApiClient.signedIn(lookout, 'cleo');
  const choices = { positions: false, own_zones: false, quiet: null, time_zone: 'Europe/Zurich', units: 'metric' };
  const subscription = { endpoint: 'https://1.1.1.1/push/1', keys: keyOf(), choices };
  expect(await cleo.tries('POST', '/api/account/push', subscription)).toBe('201');
  const people = await shows('ada', <PeoplePage viewer={pageViewerOf('ada')} />);
  const card = within(await people.region('cleo'));
  card.getByText('Push notifications: Firefox on Linux');
  card.getByRole('button', { name: 'End all sessions and push' });
  cleanup();

  const { screen, user } = await shows('cleo', <AccountPage viewer={pageViewerOf('cleo', { role: 'operator' })} />);
  const list = within(await screen.findByRole('list', { name: 'Push notifications' }));
  list.getByText('all zones that I see · without height and place');
  list.getByText(/nothing sent yet$/);
  await user.click(list.getByRole('button', { name: 'Change push in Firefox on Linux' }));
  await user.click(list.getByRole('switch', { name: 'Quiet hours' }));
  await list.findByLabelText('Quiet from');
  await user.click(list.getByRole('switch', { name: 'Only my zones' }));
  await user.click(list.getByRole('button', { name: 'Change push in Firefox on Linux' }));
  await list.findByText('my zones · without height and place · quiet 22:00–06:00');
  await user.click(list.getByRole('button', { name: 'Turn off in Firefox on Linux' }));
  await screen.findByText('Push is off in Firefox on Linux.');
  expect((await cleo.account()).push.list).toEqual([]);
});

test('a subscription that its push service ended says so, and can only be removed', async () => {
  const choices = { positions: false, own_zones: false, quiet: null, time_zone: 'UTC', units: 'metric' } as const;
  const at = '2026-11-27T12:00:00Z';
  const row = {
    id: 'a',
    browser: 'Chrome on Android',
    made_at: at,
    is_on: false,
    last_arrived_at: at,
    problem: 'Gone.',
  };
  const { screen } = await shows('ben', <Page push={{ key: '', list: [{ ...row, choices }] }} />);
  await screen.findByText('Ended by its push service. Turn push on again in that browser.');
  expect(screen.queryByText('Gone.')).toBeNull();
  expect(within(screen.getByRole('listitem')).getAllByRole('button')).toEqual([
    screen.getByRole('button', { name: 'Remove Chrome on Android' }),
  ]);
});

test.each([
  [{ isSecureContext: false }, {}, 'Push needs an address with https.'],
  [{ isSecureContext: true }, {}, 'This browser has no push.'],
  [{ isSecureContext: true }, { standalone: false }, /^On iPhone and iPad, add Lookout to the Home Screen first/],
])('says why it cannot be turned on (%j, %j)', async (ofWindow, ofNavigator, text) => {
  for (const [target, values] of [
    [window, ofWindow],
    [navigator, ofNavigator],
  ] as const)
    for (const [name, value] of Object.entries(values)) {
      Object.defineProperty(target, name, { value, configurable: true });
      onTestFinished(() => void Reflect.deleteProperty(target, name));
    }
  const { screen } = await shows('ben', <Page push={{ key: '', list: [] }} />);
  await screen.findByText(text);
  expect(screen.queryByRole('button', { name: 'Turn on in this browser' })).toBeNull();
});
