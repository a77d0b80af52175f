import { signedInPageViewer } from '#lib/server/routes/page-viewer.ts';
import { PeoplePage } from '../../components/account/people-page.tsx';
import { ClosedPage } from '../../components/frame/page-frame.tsx';

export const metadata = { title: 'People · Lookout' };

export default async function Page() {
  const viewer = await signedInPageViewer('/admin');
  return viewer.isAdmin ? <PeoplePage viewer={viewer} /> : <ClosedPage viewer={viewer} title="People" />;
}
