/** Pages for people for whom there is no other page: what happened, whether money is safe, what to do. */
import { Layout } from '../parts/layout.tsx';
import { Note } from '../parts/parts.tsx';

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

interface InClear {
	readonly url: URL;
	/** Where the page begins. */
	readonly home: string;
	/** The secret that a listener may have now, and what to do about it. */
	readonly lost?: string | null;
}

/** A page that takes a session was asked for over http. */
export const InClearPage = ({ url: { hostname, port }, home, lost = null }: InClear) => (
	<Layout title="Open this page with https" width="narrow">
		<h1>Open this page with https</h1>
		<p>
			Your browser asked for it over http. There anybody on the way can read what you send and what you are shown, so
			nobody can sign in here, and no session counts. Nothing was changed.
		</p>
		{lost !== null && <Note tone="bad">{lost}</Note>}
		<p>
			{port === '' ? (
				<>
					With https it is <a href={`https://${hostname}${home}`}>{`https://${hostname}${home}`}</a>.
				</>
			) : (
				'Ask for it at the https address of this service.'
			)}{' '}
			On the machine that the service runs on, or through an SSH tunnel to it, http is enough:{' '}
			<code>{`http://localhost${port && `:${port}`}${home}`}</code>
		</p>
	</Layout>
);
