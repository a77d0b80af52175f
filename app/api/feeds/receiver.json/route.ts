import { receiverAnswer } from '#lib/server/routes/aircraft-answer.ts';
import { bearerRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = bearerRoute('aircraft', async ({ reader }) => receiverAnswer(reader));

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
