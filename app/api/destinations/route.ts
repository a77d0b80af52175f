import { refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('watch', async () => Response.json(await runtime().destinations.names()));

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
