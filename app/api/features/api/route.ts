import { OPENAPI_TYPE } from '#lib/outputs/features/collections.ts';
import { openApi } from '#lib/outputs/features/open-api.ts';
import { documentAnswer } from '#lib/server/routes/feature-answer.ts';
import { bearerRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = bearerRoute('features', async (call) => documentAnswer(call, openApi, OPENAPI_TYPE));

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
