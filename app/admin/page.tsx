import { redirect } from 'next/navigation';
import { PeoplePage } from '#components/account/people-page.tsx';
import { roleMay } from '#lib/api/people/permission.ts';
import { currentViewer } from '#lib/server/session-cookie.ts';

export const metadata = { title: 'People · Lookout' };

export default async function Page() {
  const viewer = await currentViewer();
  if (!viewer) redirect('/sign-in?next=%2Fadmin');
  const { id, role } = viewer.operator;
  if (viewer.needs || !viewer.session || !roleMay(role, 'administer')) redirect(viewer.session ? '/account' : '/');
  return <PeoplePage operator={id} />;
}
