-- A restore makes the triggers again whose SQL its hold keeps: this is the seal over them, so that anyone who writes rows
-- cannot have SQL of their own executed. Null for a backup, which drops none.
ALTER TABLE holds ADD COLUMN seal TEXT;
