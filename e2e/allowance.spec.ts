import { AllowancePanel } from './driver/allowance-panel.ts';
import { expect, test } from './lookout-test.ts';

const view = '/?view=46.9,8.2,7';
const smallWorld = { options: ['--tracks', '60,20', '--allowance', '600,200000'] };

test('The allowance tab shows what the service counted, and has a denied layer and a used-up day checked', async ({
  startDesk,
}) => {
  const { operator, lookout } = await startDesk({ service: smallWorld });
  await operator.watches(view);
  const panel = new AllowancePanel(operator.page);
  await panel.opens();
  await expect(panel.left('minute')).toHaveText(/^\d+ of \d+ left$/);
  const before = await panel.leftToday();
  expect(before).toBeLessThan(200_000);
  expect(before).toBeGreaterThanOrEqual(200_000 - (await lookout.service.requests()).length - 1);
  await expect.poll(() => panel.leftToday()).toBeLessThan(before);
  await expect(panel.areas('Aircraft')).toHaveText(/1 viewer · 1 request per refresh · every 1 s/);
  await expect(panel.areas('Aircraft')).toHaveText(/read \d s ago · not yet due: in 1 s/);

  await test.step('A layer without access is checked again when the operator asks for it, and not twice in a minute', async () => {
    await lookout.service.breakWith({ kind: 'status', status: 403, operation: 'live_rid' });
    await expect(panel.checkAgain).toBeVisible();
    await panel.checkAgain.click();
    await expect(panel.recheckNote('Drones')).toHaveText(/^Check requested at/);
    await expect.poll(async () => (await lookout.service.requestsFor('live_rid')).length).toBe(2);
    await panel.checkAgain.click();
    await expect(panel.recheckNote('Drones')).toHaveText(/again at \d\d:\d\d:\d\dZ/);
    expect(await lookout.service.requestsFor('live_rid')).toHaveLength(2);
  });

  await test.step('A day that a header calls used up is the layer’s reason, and is checked when an admin asks for it', async () => {
    await lookout.service.breakWith({ kind: 'allowance', per_day: '0' });
    await expect(panel.problems).toContainText('today’s allowance is used up');
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: paused by the account’s allowance until/);
    await lookout.service.mend();
    await panel.checksAccount();
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date/);
    await expect(panel.problems.filter({ hasText: 'used up' })).toHaveCount(0);
  });
});
