import { refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import document from '../../../docs/openapi.json' with { type: 'json' };

/** It has no secrets. Strangers do not see it, since it tells the exact version. */
export const GET = viewerRoute('view', async () => Response.json(document));

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
