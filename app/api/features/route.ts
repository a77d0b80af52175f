import { landingPage } from '#lib/outputs/feature-documents.ts';
import { documentAnswer } from '#lib/server/routes/feature-answer.ts';
import { bearerRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = bearerRoute('features', async (call) => documentAnswer(call, landingPage));

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
