/** What people see when there is no such page, or when it failed: what happened, whether money is safe, what to do. */
import { Layout } from '../parts/layout.tsx';

export const MissingPage = () => (
	<Layout title="No such page" width="narrow">
		<h1>There is no page at this address</h1>
		<p>If you came by a link of an order, open it as you were given it, with everything after the “#”.</p>
		<p>
			<a href="/">What this is, and where to go</a>
		</p>
	</Layout>
);

export const FailedPage = ({ id }: { readonly id: string }) => (
	<Layout title="The page failed" width="narrow">
		<h1>This page failed. Your order and your coins did not</h1>
		<p>Orders go on without pages. Load the page again in a minute.</p>
		<p>
			If it fails again, tell the people who gave you the link this number: <code>{id}</code>
		</p>
	</Layout>
);
