! Broadcasts from Fortran, through the binding that BINDING names: 1 mpif.h, 2 the mpi module, 3 mpi_f08.
! run_mpi.py --lines checks that every one of the broadcasts reached the preloaded library exactly once.
#if BINDING == 3
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#else
#define COMMUNICATOR integer
#define DATATYPE integer
#endif

module checks
#if BINDING == 3
  use mpi_f08
#elif BINDING == 2
  use mpi
#endif
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer, parameter :: rows = 40, columns = 350
  integer :: failures = 0, broadcasts = 0

contains

  elemental integer function content(i, seed)
    integer, intent(in) :: i, seed
    content = ieor(i * 2654435, seed * 97531)
  end function content

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print *, 'does not hold: ', what
  end subroutine expect

  ! Integers one after the other; n of them.
  subroutine check_run(comm, n)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in) :: n
    integer :: buffer(n), wanted(n), i, root, rank, ranks, error
    call MPI_Comm_rank(comm, rank, error)
    call MPI_Comm_size(comm, ranks, error)
    do root = 0, ranks - 1
      wanted = content([(i, i = 1, n)], root + n)
      buffer = 0
      if (rank == root) buffer = wanted
      call MPI_Bcast(buffer, n, MPI_INTEGER, root, comm, error)
      broadcasts = broadcasts + 1
      call expect(error == MPI_SUCCESS .and. all(buffer == wanted), 'run of integers')
    end do
  end subroutine check_run

  ! A row of a matrix, which lies in memory with gaps. The other rows must stay as they are.
  subroutine check_row(comm)
    COMMUNICATOR, intent(in) :: comm
    DATATYPE :: row_type
    integer :: matrix(rows, columns), wanted(rows, columns), j, rank, error
    call MPI_Comm_rank(comm, rank, error)
    call MPI_Type_vector(columns, 1, rows, MPI_INTEGER, row_type, error)
    call MPI_Type_commit(row_type, error)
    wanted = 5
    if (rank == 1) wanted = 6
    matrix = wanted
    wanted(7, :) = content([(j, j = 1, columns)], 3)
    if (rank == 1) matrix = wanted
    call MPI_Bcast(matrix(7, 1), 1, row_type, 1, comm, error)
    broadcasts = broadcasts + 1
    call expect(error == MPI_SUCCESS .and. all(matrix == wanted), 'row of a matrix')
    call MPI_Type_free(row_type, error)
  end subroutine check_row

  ! Two arrays by their addresses, the second one first.
  subroutine check_bottom(comm)
    COMMUNICATOR, intent(in) :: comm
    DATATYPE :: both
    integer, asynchronous :: first(3000), second(4000)
    integer :: wanted(7000), i, rank, error, lengths(2)
    integer(kind=MPI_ADDRESS_KIND) :: addresses(2)
    call MPI_Comm_rank(comm, rank, error)
    wanted = content([(i, i = 1, 7000)], 11)
    first = 0
    second = 0
    if (rank == 0) then
      second = wanted(:4000)
      first = wanted(4001:)
    end if
    call MPI_Get_address(second(1), addresses(1), error)
    call MPI_Get_address(first(1), addresses(2), error)
    lengths = [4000, 3000]
    call MPI_Type_create_hindexed(2, lengths, addresses, MPI_INTEGER, both, error)
    call MPI_Type_commit(both, error)
    call MPI_Bcast(MPI_BOTTOM, 1, both, 0, comm, error)
    broadcasts = broadcasts + 1
    call expect(error == MPI_SUCCESS, 'result of the broadcast at MPI_BOTTOM')
    call expect(all(second == wanted(:4000)) .and. all(first == wanted(4001:)), 'arrays by address')
    call MPI_Type_free(both, error)
  end subroutine check_bottom

  ! Errors come back as Fortran expects them.
  subroutine check_error(comm)
    COMMUNICATOR, intent(in) :: comm
    integer :: buffer(1000), error, error_class, ignored
    buffer = 0
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ignored)
    call MPI_Bcast(buffer, 1000, MPI_INTEGER, 99, comm, error)
    broadcasts = broadcasts + 1
    call MPI_Error_class(error, error_class, ignored)
    call expect(error_class == MPI_ERR_ROOT, 'class of the error for a wrong root')
  end subroutine check_error

end module checks

program fortran
  use checks
  implicit none
  COMMUNICATOR :: half, copy
  integer :: rank, error, expected
  character(20) :: argument

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
  call check_run(MPI_COMM_WORLD, 10)
  call check_run(MPI_COMM_WORLD, 20000)
  call check_run(half, 5000)
  call check_row(MPI_COMM_WORLD)
  call check_bottom(MPI_COMM_WORLD)
  call check_run(copy, 400)
  call check_error(copy)
#if BINDING == 3
  call without_error_argument()
#endif
  call MPI_Comm_free(half, error)
  call get_command_argument(1, argument)
  read (argument, *) expected
  call expect(broadcasts == expected, 'number of broadcasts')
  call MPI_Finalize(error)
  if (failures /= 0) stop 1

contains

#if BINDING == 3
  subroutine without_error_argument()
    real(kind(1d0)) :: values(2000)
    values = 0
    if (rank == 2) values = 0.5d0
    call MPI_Bcast(values, 2000, MPI_DOUBLE_PRECISION, 2, copy)
    broadcasts = broadcasts + 1
    call expect(all(abs(values - 0.5d0) < 1d-300), 'values without an error argument')
  end subroutine without_error_argument
#endif

end program fortran
