import { ApiError } from '#lib/api/error-code.ts';
import { newReadTokenSchema } from '#lib/api/outputs/read-token.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Open without sign-in too, where every viewer runs this Lookout. */
export const GET = viewerRoute('administer', async () =>
  Response.json({ tokens: await runtime().readTokens.list(), as_of: new Date().toISOString() }),
);

export const POST = viewerRoute('administer', async (call) => {
  const { readTokens, views, audit } = runtime();
  const { operator, session } = call.viewer;
  const wanted = await parseBody(call.request, newReadTokenSchema);
  if (wanted.view !== null && !(await views.ofWall(wanted.view)))
    throw new ApiError('bad_body', 'view: must be a shared view of a place, which everyone may see.');
  const made = await readTokens.make(wanted, session ? operator.name : '');
  const { name, scopes } = made.token;
  audit.record(actorOf(call), { kind: 'read_token_made', token: name, scopes: scopes.join(', ') });
  return Response.json(made, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
