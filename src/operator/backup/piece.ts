/** The content of one opened line of a backup. */
import type { Page } from '../../backup/object-storage.ts';
import type { AgentCopy } from '../../ports/chain-agent.ts';
import type { JournalPage } from '../../ports/copy.ts';

export type Piece =
	| { readonly store: 'database'; readonly page: Page }
	| { readonly store: 'journal'; readonly page: JournalPage }
	| { readonly store: 'agents'; readonly agents: Readonly<Record<string, AgentCopy>> };
