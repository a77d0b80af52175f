import { collection } from '#lib/outputs/feature-documents.ts';
import { collectionIn, documentAnswer } from '#lib/server/routes/feature-answer.ts';
import { bearerRoute, refuseMethod } from '#lib/server/routes/route.ts';

export const GET = bearerRoute('features', async (call) =>
  documentAnswer(call, (base) => collection(base, collectionIn(call.request), call.reader.area)),
);

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };
