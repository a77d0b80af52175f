@rem The scripts of package.json begin with exec, so that signals to npm reach them. Windows has no such command.
@%*
