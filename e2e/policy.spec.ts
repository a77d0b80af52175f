import type { Page } from '@playwright/test';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

test.use({ basemap: 'built-in' });

// Fine enough to tell land from sea.
test.use({ deviceScaleFactor: 0.5, contextOptions: { reducedMotion: 'no-preference' } });

async function collectProblems(page: Page): Promise<readonly string[]> {
  const problems: string[] = [];
  await page.exposeFunction('reportProblem', (problem: string) => problems.push(problem));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { reportProblem } = globalThis as unknown as { reportProblem: (problem: string) => void };
      reportProblem(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  page.on('console', (message) => {
    // It concerns the graphics driver only.
    if (message.text().includes('GL Driver Message (OpenGL, Performance')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  return problems;
}

function foreignOrigins(page: Page, own: string): readonly string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== new URL(own).origin) foreign.push(request.url());
  });
  return foreign;
}

test('The live page and the sign-in page keep their CSP, cause no errors, and request no other origin', async ({
  page,
  startOwn,
}) => {
  const lookout = await startOwn({ operators: ['tower'] });
  const [account] = lookout.operators;
  if (!account) throw new Error('no operator');
  const problems = await collectProblems(page);
  const foreign = foreignOrigins(page, lookout.url);
  const form = new SignInDriver(page, lookout.url);
  await form.opens('/');
  await form.seesForm();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
  await form.submits(account);
  const operator = form.asOperator();
  await operator.seesPositions();
  await operator.tracks.selectsFirst();
  await operator.choosesTheme('light');
  await operator.switchesLayer('Drones');
  await page.keyboard.press('?');
  await expect(operator.help).toBeVisible();
  await page.keyboard.press('Escape');
  const zoom = () => operator.viewInAddress()?.zoom ?? Number.NaN;
  await expect.poll(zoom).toBeGreaterThan(2);
  while (zoom() > 2) {
    const before = zoom();
    await page.keyboard.press('-');
    await expect.poll(zoom).toBeLessThan(before);
  }
  await operator.seesPositions();
  await test.step('The built-in basemap tells land from sea', async () => {
    const difference = async () => {
      const sahara = await operator.luminanceAt({ lat: 23, lon: 5 });
      return Math.abs(sahara - (await operator.luminanceAt({ lat: 23, lon: -45 })));
    };
    await expect.poll(difference).toBeGreaterThan(3);
  });
  expect(problems).toEqual([]);
  await test.step('Signing out leads to the form, and ends the session', async () => {
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'lookout');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    await form.signsOut(account.name);
    await form.seesForm();
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
    const headers = { cookie: `lookout=${cookie?.value}` };
    expect((await fetch(`${lookout.url}/api/session`, { headers })).status).toBe(401);
  });
  // A poll may meet the end of the session.
  expect(problems.filter((problem) => !/\b401\b/.test(problem))).toEqual([]);
  expect(foreign).toEqual([]);
});
