# What rowtime.shell.harlequin_adapter uses of Harlequin 2, which is not installed here.
