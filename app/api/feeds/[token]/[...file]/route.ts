import { feedAnswer } from '#lib/server/routes/aircraft-answer.ts';
import { pathTokenRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = pathTokenRoute('aircraft', async ({ request, reader }) => feedAnswer(request, reader));

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
