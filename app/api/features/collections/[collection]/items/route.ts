import { itemsPageAnswer } from '#lib/server/routes/feature-answer.ts';
import { bearerRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = bearerRoute('features', itemsPageAnswer);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
