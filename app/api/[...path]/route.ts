import { ApiError } from '#lib/api/error-code.ts';
import { queryRoute } from '#lib/server/routes/route.ts';

const notFound = queryRoute('view', async () => {
  throw new ApiError('not_found', 'There is nothing at this address.');
});

export { notFound as DELETE, notFound as GET, notFound as PATCH, notFound as POST, notFound as PUT };
