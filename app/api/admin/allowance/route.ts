import { ApiError } from '#lib/api/error-code.ts';
import { refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const POST = viewerRoute('administer', async (call) => {
  const { status, audit } = runtime();
  const waitMs = await status.checkAccount();
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    throw new ApiError('too_many_attempts', `Checked too recently; try again in ${seconds} s.`, seconds);
  }
  audit.record(actorOf(call), { kind: 'allowance_checked' });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };
