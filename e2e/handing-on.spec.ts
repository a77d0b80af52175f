import { HandingOn } from './driver/handing-on.ts';
import { expect, test } from './lookout-test.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('S copies the link of what is seen; where copying is refused, the link is selected', async ({
  operator,
  page,
}) => {
  const handing = new HandingOn(page);
  await operator.watches('/?view=46.9,8.2,8&layers=adsb');
  const [seen] = [page.url()];

  await test.step('the key copies what the address bar says, and says so', async () => {
    await page.keyboard.press('s');
    await expect(handing.outcome).toHaveText('Link copied.');
    expect(await handing.clipboardText()).toBe(seen);
    await expect(handing.shareDialog).toContainText('Opens this place live');
    await page.keyboard.press('Escape');
    await expect(handing.shareDialog).toHaveCount(0);
  });

  await test.step('a refusal is said, and the link is selected to be copied by hand', async () => {
    await handing.forbidCopying();
    await operator.button('Share').click();
    await expect(handing.outcome).toContainText('did not let Lookout copy');
    expect(await handing.selectedText()).toBe(seen);
  });
});
