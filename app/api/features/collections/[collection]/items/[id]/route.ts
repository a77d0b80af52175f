import { itemAnswer } from '#lib/server/routes/feature-answer.ts';
import { bearerRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = bearerRoute('features', itemAnswer);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
