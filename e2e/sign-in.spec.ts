import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import type { OperatorAccount } from './running/operators.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

const guardedLookout = sharedInFile(({ plainBasemap }) =>
  startLookout({ operators: ['tower@airfield'], settings: plainBasemap }),
);
const test = lookoutTest.extend<{ signIn: SignInDriver; account: OperatorAccount; guarded: RunningLookout }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  guarded: ({}, use) => use(guardedLookout()),
  account: ({ guarded }, use) => use(guarded.operators[0] as OperatorAccount),
  signIn: ({ page, guarded }, use) => use(new SignInDriver(page, guarded.url)),
});

test.describe.configure({ mode: 'default' });

test.describe('Signing in', () => {
  test('A link opened without a session is restored after signing in', async ({ signIn, account }) => {
    await signIn.opens('/?view=47.2,8.6,8&layers=rid');
    await signIn.seesForm();
    await signIn.submits({ ...account, password: 'not the password at all' });
    await expect(signIn.refusal).toHaveText('This name and password are not accepted.');
    await signIn.submits(account);
    const operator = signIn.asOperator();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: layer is off, not requested');
    await expect(operator.button(`Account of ${account.name}`)).toBeVisible();
  });

  test('A form sent before the page’s code has arrived is sent when it arrives', async ({ signIn, account, page }) => {
    const coming = Promise.withResolvers<void>();
    await page.route('**/_next/static/**/*.js', async (route) => {
      await coming.promise;
      await route.continue();
    });
    await signIn.opens('/');
    await signIn.seesForm();
    await page.getByLabel('Name').fill(account.name);
    await page.getByLabel('Password').fill('not the password at all');
    await page.keyboard.press('Enter');
    coming.resolve();
    await expect(signIn.refusal).toHaveText('This name and password are not accepted.');
    expect(new URL(page.url()).search).toBe('?next=%2F');
    await signIn.submits(account);
    await signIn.asOperator().seesPositions();
  });
});

test.describe('With a session', () => {
  test('an ended session is reported over the map, and the positions age', async ({ signIn, account }) => {
    await signIn.opens('/');
    await signIn.submits(account);
    const operator = signIn.asOperator();
    await operator.seesPositions();
    await signIn.page.context().clearCookies();
    await expect(operator.notice('signed-out')).toContainText('You are signed out.');
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    await expect(operator.state('Aircraft')).not.toHaveText(/up to date/);
  });
});
