-- Wrong tokens of the operator are counted by the gate of anonymous calls, for each network and all ways in together:
-- nothing that anybody may send without a budget reaches the database's writer.
DROP TABLE operator_sign_ins;
