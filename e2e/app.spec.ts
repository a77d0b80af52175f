import type { Page } from '@playwright/test';
import { accountAnswerSchema } from '#lib/api/people/account.ts';
import { PushService } from '#testing/push-service.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

/** As if it were started from its icon. */
async function asInstalled(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const asked = window.matchMedia.bind(window);
    window.matchMedia = (query) => asked(query === '(display-mode: standalone)' ? 'all' : query);
  });
}

/** The worker claims the page a moment after it is ready. */
const workerOf = (page: Page) => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);

test('The installed app starts without network with a page that shows nothing, and nothing of it is stored', async ({
  page,
  startOwn,
}) => {
  const lookout = await startOwn({ operators: ['tower'] });
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') violations.push(message.text());
  });
  const form = new SignInDriver(page, lookout.url);
  await form.opens('/');
  await form.submits(lookout.operators[0]!);
  const operator = form.asOperator();
  await operator.seesPositions();
  const kept = () =>
    page.evaluate(async () => ({
      caches: await caches.keys(),
      databases: (await indexedDB.databases()).map(({ name }) => name),
      registered: (await navigator.serviceWorker.getRegistrations()).length,
    }));

  await test.step('A tab has no worker', async () => {
    expect(await kept()).toEqual({ caches: [], databases: [], registered: 0 });
  });

  await test.step('The app has one, which lets every request of the page pass', async () => {
    await asInstalled(page);
    await page.reload();
    await expect.poll(() => workerOf(page)).toBe(`${lookout.url}/worker.js`);
    await page.reload();
    await operator.seesPositions();
    expect(await kept()).toEqual({ caches: [], databases: [], registered: 1 });
    expect(violations).toEqual([]);
  });

  await lookout.app.stop();
  for (const path of ['/', '/overview', '/account', '/?view=47.45,8.55,9'])
    await test.step(`Without network, ${path} says so`, async () => {
      await page.goto(`${lookout.url}${path}`);
      await expect(page.getByRole('heading', { name: 'No connection to Lookout' })).toBeVisible();
      expect(await page.locator('body').innerText()).toMatch(
        /^No connection to Lookout\s+Nothing is shown\. This page tries again every 10 seconds\.\s+Try again$/,
      );
    });
  expect(await kept()).toEqual({ caches: [], databases: [], registered: 1 });
  const live = await page.evaluate(() =>
    fetch('/api/live?bbox=5,45,11,48').then(
      ({ status }) => status,
      () => 'none',
    ),
  );
  expect(live).toBe('none');
});

test('Push is turned on in a browser, renewed by it, arrives at its push service, and is turned off', async ({
  context,
  page,
  startOwn,
}) => {
  const service = await PushService.open();
  const settings = { OUTPUT_PRIVATE_ADDRESSES: '127.0.0.1', NODE_EXTRA_CA_CERTS: service.certificateFile };
  const lookout = await startOwn({ operators: ['tower'], settings });
  const { endpoint, keys } = service.subscription();
  // This browser has neither notifications nor a push service.
  await page.addInitScript(
    ({ endpoint, keys }) => {
      const subscription = { endpoint: `${endpoint}/earlier`, keys };
      Object.defineProperty(Notification, 'permission', { value: 'granted' });
      Notification.requestPermission = async () => 'granted';
      let own: object | null = null;
      const unsubscribe = async () => {
        own = null;
        return true;
      };
      PushManager.prototype.getSubscription = async () => own as never;
      PushManager.prototype.subscribe = async () => {
        own = { ...subscription, toJSON: () => subscription, unsubscribe };
        return own as never;
      };
    },
    { endpoint, keys },
  );
  const form = new SignInDriver(page, lookout.url);
  await form.opens('/account');
  await form.submits(lookout.operators[0]!);
  await page.getByRole('button', { name: 'Turn on in this browser' }).click();
  const row = page.getByRole('list', { name: 'Push notifications' }).getByRole('listitem');
  await expect(row).toContainText('this one');
  const account = await page.evaluate(() => fetch('/api/account').then((answer) => answer.json()));
  service.key = accountAnswerSchema.parse(account).push.key;
  await context.serviceWorkers()[0]!.evaluate(
    ({ endpoint, keys }) => {
      const earlier = { endpoint: `${endpoint}/earlier` };
      const newSubscription = { toJSON: () => ({ endpoint, keys }) };
      const works: Promise<unknown>[] = [];
      const change = {
        oldSubscription: earlier,
        newSubscription,
        waitUntil: (work: Promise<unknown>) => works.push(work),
      };
      globalThis.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), change));
      return Promise.all(works);
    },
    { endpoint, keys },
  );
  await row.getByRole('button', { name: /^Send a trial/ }).click();
  await expect.poll(() => service.pushed.length).toBe(1);
  expect(service.refused).toEqual([]);
  expect(service.pushed[0]).toMatchObject({ title: 'TRIAL · Notices of Lookout arrive here', path: '/' });

  await row.getByRole('button', { name: /^Turn off/ }).click();
  await expect(page.getByText('Off. With push, alarms reach a browser while Lookout is closed.')).toBeVisible();
  service.close();
});
